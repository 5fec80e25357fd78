import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { createSqliteStore } from "./sqlite-store.ts";
import { responseWriteFixture } from "./testing/response-write.ts";

const kills = 20;
const folder = mkdtempSync(join(tmpdir(), "slipstream-kill-"));
after(() => rmSync(folder, { recursive: true }));

/** Runs the commit loop, kills it some acknowledgements later, and gives the ids it had acknowledged. */
async function acknowledgedUntilKilled(path: string, run: number): Promise<string[]> {
  const program = fileURLToPath(new URL("./testing/commit-loop.ts", import.meta.url));
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", program, path, `${run}`], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  let printed = "";
  let timer: NodeJS.Timeout | undefined;
  for await (const chunk of child.stdout) {
    printed += chunk;
    // Counting from the first acknowledgement, so that every kill falls among commits, whatever the machine.
    timer ??= setTimeout(() => child.kill("SIGKILL"), Math.random() * 80);
  }
  clearTimeout(timer);
  const [, signal] = await exited;
  assert.equal(signal, "SIGKILL");
  // What follows the last line break was cut off in the middle of an id.
  return printed.split("\n").slice(0, -1);
}

function integrity(path: string): unknown {
  const connection = new DatabaseSync(path);
  try {
    return connection.prepare("pragma integrity_check").get()?.integrity_check;
  } finally {
    connection.close();
  }
}

function storedIds(path: string): string[] {
  const connection = new DatabaseSync(path, { readOnly: true });
  try {
    return connection
      .prepare("select id from responses")
      .all()
      .map((row) => String(row.id));
  } finally {
    connection.close();
  }
}

describe("a store whose process is killed", () => {
  it(`loses no acknowledged response and keeps no half of one, ${kills} times`, async () => {
    const path = join(folder, "store.sqlite");
    const acknowledged: string[] = [];
    for (let run = 0; run < kills; run += 1) {
      acknowledged.push(...(await acknowledgedUntilKilled(path, run)));
      assert.equal(integrity(path), "ok");
    }
    assert.ok(acknowledged.length >= kills);
    const stored = storedIds(path);
    assert.deepEqual(
      acknowledged.filter((id) => !new Set(stored).has(id)),
      [],
    );

    const store = await createSqliteStore({ path, onError: () => {} });
    for (const id of stored) {
      const name = id.replace(/^resp_/, "");
      const write = responseWriteFixture(name);
      const response = await store.response("default", id);
      assert.deepEqual(response?.items, write.items);
      assert.deepEqual(response?.body, write.body);
      assert.deepEqual(await store.lap("default", id), write.lap);
    }
    const last = stored.at(-1);
    assert.ok(last !== undefined);
    const chain = await store.chain("default", last);
    const depth = Number(last.split(".").at(-1));
    assert.deepEqual(
      chain.map((node) => node.depth),
      Array.from({ length: depth + 1 }, (_, index) => index),
    );
    await store.close();
  });
});
