import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { configSchema } from "../config/schema.ts";
import type { Host } from "../host/host.ts";
import { makeGguf } from "../testing/make-gguf.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { examineLibrary } from "./examine-library.ts";
import {
  examineCache,
  examineModel,
  examineNode,
  examinePip,
  examinePort,
  examineSandbox,
  examineState,
} from "./examine-machine.ts";
import { formatFindings, problem, well } from "./finding.ts";

const config = configSchema.parse({});
const machine = (folder: string, env: Host["env"] = {}): Host => ({
  env: { SLIPSTREAM_CACHE: folder, ...env },
  platform: "linux",
  homeFolder: folder,
  workingFolder: folder,
  memoryBytes: 8e9,
});

test("an old Node is a problem", () => {
  assert.equal(examineNode("v24.0.0").state, "ok");
  assert.equal(examineNode("v22.9.0").state, "problem");
});

test("without bubblewrap and pip on the path both are warnings with advice", async () => {
  using folder = scratchFolder();
  for (const examine of [examineSandbox, examinePip]) {
    const finding = await examine(machine(folder.path, { PATH: folder.path }));
    assert.equal(finding.state, "warning");
    assert.notEqual(finding.advice, null);
  }
  writeFileSync(join(folder.path, "pip3"), "", { mode: 0o755 });
  assert.equal((await examinePip(machine(folder.path, { PATH: folder.path }))).state, "ok");
});

test("a cache folder that is a file is a problem", async () => {
  using folder = scratchFolder();
  assert.equal((await examineCache(machine(join(folder.path, "new")))).state, "ok");
  writeFileSync(join(folder.path, "file"), "");
  assert.equal((await examineCache(machine(join(folder.path, "file")))).state, "problem");
});

test("a state folder that cannot be made is a problem, with what to set", async () => {
  using folder = scratchFolder();
  const at = (base: string) => examineState(machine(folder.path, { XDG_STATE_HOME: base }));
  assert.equal((await at(folder.path)).state, "ok");
  writeFileSync(join(folder.path, "file"), "");
  const finding = await at(join(folder.path, "file"));
  assert.deepEqual([finding.name, finding.state], ["state", "problem"]);
  assert.match(finding.advice ?? "", /XDG_STATE_HOME/);
});

test("a model that is missing, unknown, broken or there", async () => {
  using folder = scratchFolder();
  const examine = (model: string) => examineModel({ ...config, model }, machine(folder.path));
  assert.match((await examine("smollm2-135m-instruct")).advice ?? "", /models pull smollm2-135m-instruct/);
  assert.match((await examine("nothing")).advice ?? "", /models list/);
  mkdirSync(join(folder.path, "m"));
  const path = join(folder.path, "m", "x.gguf");
  writeFileSync(path, "text");
  assert.equal((await examine(path)).state, "problem");
  writeFileSync(path, makeGguf("x"));
  assert.equal((await examine(path)).state, "ok");
});

test("a port that somebody has is a warning", async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  assert.equal((await examinePort({ ...config, port })).state, "warning");
  await new Promise((resolve) => other.close(resolve));
  assert.equal((await examinePort({ ...config, port })).state, "ok");
});

test("a library that does not load is a problem", async () => {
  assert.equal((await examineLibrary(async () => ({ isUsable: true, detail: "b1" }))).state, "ok");
  const finding = await examineLibrary(async () => ({ isUsable: false, detail: "no build" }));
  assert.deepEqual([finding.state, finding.detail], ["problem", "no build"]);
});

test("advice stands below what it is about", () => {
  const lines = formatFindings([well("node", "v24"), problem("cache", "no", "do this")]).split("\n");
  assert.match(lines[0] ?? "", /^ok +node +v24$/);
  assert.match(lines[1] ?? "", /^PROBLEM +cache +no$/);
  assert.match(lines[2] ?? "", /^ +-> do this$/);
});
