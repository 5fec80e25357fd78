import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { testMachine } from "./test-machine.ts";
import { defaultTuning } from "./tuning.ts";
import { readTuning, type TuningSubject, tuningFile, tuningSubject, writeTuning } from "./tuning-cache.ts";

const tuning = { threads: { prefill: 2, decode: 1 }, batchTokens: 256, flashAttention: false };
const search = {
  tuning,
  isComplete: true,
  samples: [{ tuning: defaultTuning(2), promptTokens: 512, decodeSteps: 24, prefillMs: 400.5, decodeMs: 90 }],
};
let folder: string;
let subject: TuningSubject;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipstream-test-"));
  await writeFile(join(folder, "model.gguf"), "weights");
  subject = await tuningSubject(testMachine(2), "1.0.0", join(folder, "model.gguf"));
});
after(() => rm(folder, { recursive: true }));

test("what is written is read again, and nothing else is left", async () => {
  const file = tuningFile(folder, subject);
  assert.equal(await readTuning(file), null);
  await writeTuning(file, subject, search);
  assert.deepEqual(await readTuning(file), search);
  assert.deepEqual(await readdir(dirname(file)), [file.slice(dirname(file).length + 1)]);
});

test("what cannot be read as a tuning is none", async () => {
  const file = tuningFile(folder, { ...subject, library: "broken" });
  const broken = [
    "",
    "{",
    "null",
    "[]",
    JSON.stringify({ search: { ...search, tuning: { ...tuning, threads: { prefill: 0, decode: 1 } } } }),
    JSON.stringify({ search: { ...search, tuning: { ...tuning, batchTokens: "512" } } }),
    JSON.stringify({ search: { ...search, tuning: null } }),
    JSON.stringify({ search: { ...search, samples: [{}] } }),
    JSON.stringify({ search: { ...search, isComplete: 1 } }),
  ];
  await writeTuning(file, subject, search);
  for (const text of broken) {
    await writeFile(file, text);
    assert.equal(await readTuning(file), null, text);
  }
});

test("another machine, library or model file is another subject", async () => {
  const path = join(folder, "model.gguf");
  const files = [
    subject,
    { ...subject, library: "2.0.0" },
    { ...subject, machine: testMachine(4) },
    { ...subject, machine: { ...subject.machine, processor: "another" } },
    { ...subject, machine: { ...subject.machine, memoryBytes: 1 } },
  ].map((other) => tuningFile(folder, other));
  await writeFile(path, "other weights");
  const rewritten = await tuningSubject(testMachine(2), "1.0.0", path);
  await utimes(path, 1, 1);
  const touched = await tuningSubject(testMachine(2), "1.0.0", path);
  const all = [...files, tuningFile(folder, rewritten), tuningFile(folder, touched)];
  assert.equal(new Set(all).size, all.length);
  await assert.rejects(tuningSubject(testMachine(2), "1.0.0", join(folder, "none.gguf")));
});
