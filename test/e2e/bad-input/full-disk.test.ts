import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { httpClient } from "../../support/responses-client.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { simulatedModelId as model } from "../../support/serve.ts";
import { onSmallDisk } from "./support/full-disk.ts";
import { startCommand } from "./support/run-command.ts";

test("a disk that fills up fails what was to be stored, by name, and nothing else", {
  timeout: 60_000,
}, async () => {
  using folder = scratchFolder();
  const disk = join(folder.path, "disk");
  mkdirSync(disk);
  const store = ["--store", join(disk, "responses.sqlite")];
  const line = ["serve", "--engine", "simulated", "--model", model, "--port", "0", ...store];
  const child = startCommand(line, { folder: folder.path, wrapper: onSmallDisk(disk, 1024 * 1024) });
  child.stderr.resume();
  try {
    const [said] = await once(child.stdout, "data");
    const client = httpClient(/http:\/\/\S+(?=\/v1)/.exec(String(said))?.[0] ?? "");
    const kept: string[] = [];
    const fill = async (): Promise<void> => {
      for (let lap = 0; lap < 100; lap += 1) {
        const input = `${lap} ${"A prompt that takes its place on the disk. ".repeat(1000)}`;
        kept.push((await client.create({ model, input, max_output_tokens: 8 })).response.id);
      }
    };
    await assert.rejects(fill(), { code: "storage_unavailable", message: /full/ });
    assert.ok(kept.length > 0);
    const small = { model, input: "hi", max_output_tokens: 8 };
    assert.equal((await client.create({ ...small, store: false })).response.store, false);
    const chained = { ...small, previous_response_id: kept[0] ?? "", store: false };
    assert.equal((await client.create(chained)).response.previous_response_id, kept[0]);
  } finally {
    child.kill("SIGTERM");
    await once(child, "exit");
  }
});
