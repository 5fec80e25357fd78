import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { withCode } from "../../testing/expect-code.ts";
import { scratchFolder } from "../../testing/scratch.ts";
import { silentProgress } from "../../testing/silent-progress.ts";
import { type StubHub, startStubHub } from "../../testing/stub-hub.ts";
import { fetchFromHub } from "./fetch-from-hub.ts";

const content = randomBytes(3_000_000);
const source = { kind: "hugging-face", repository: "some/model", revision: "main", path: "m.gguf" } as const;
const startHub = (bytes = content) => startStubHub(source.repository, source.path, bytes);

function fetchWith(
  hub: StubHub | string,
  folder: string,
  options: { attempts?: number; signal?: AbortSignal } = {},
) {
  const signal = options.signal ?? new AbortController().signal;
  const hubUrl = typeof hub === "string" ? hub : hub.url;
  return fetchFromHub(
    { source, folder, expectedBytes: 0, progress: silentProgress(), signal },
    { hubUrl, accessToken: undefined, stallMs: 300, attempts: options.attempts ?? 1 },
  );
}

test("content and the hub's own hash arrive", async () => {
  using folder = scratchFolder();
  await using hub = await startHub();
  const { path, sourceSha256 } = await fetchWith(hub, folder.path);
  assert.deepEqual(readFileSync(path), content);
  assert.equal(sourceSha256, hub.sha256);
  assert.equal(readdirSync(folder.path).length, 1);
});

test("a broken connection goes on where it stopped", async () => {
  using folder = scratchFolder();
  await using hub = await startHub();
  hub.cutAfter = [1_000_000, 500_000];
  const { path } = await fetchWith(hub, folder.path, { attempts: 3 });
  assert.deepEqual(readFileSync(path), content);
  assert.equal(hub.ranges.length, 3);
  assert.ok(hub.ranges.slice(1).every((range) => !range.startsWith("bytes=0-")));
});

test("a pull that gave up is resumed by the next one", async () => {
  using folder = scratchFolder();
  await using hub = await startHub();
  hub.cutAfter = [1_000_000];
  await assert.rejects(fetchWith(hub, folder.path), withCode("source_unreachable"));
  const { path } = await fetchWith(hub, folder.path);
  assert.deepEqual(readFileSync(path), content);
  assert.notEqual(hub.ranges.at(-1)?.startsWith("bytes=0-"), true);
});

test("what is left of other content is not continued", async () => {
  using folder = scratchFolder();
  {
    await using before = await startHub(randomBytes(content.length));
    before.cutAfter = [1_000_000];
    await assert.rejects(fetchWith(before, folder.path), withCode("source_unreachable"));
  }
  await using hub = await startHub();
  const { path } = await fetchWith(hub, folder.path);
  assert.deepEqual(readFileSync(path), content);
});

test("a hub that stops sending is given up after the time limit", async () => {
  using folder = scratchFolder();
  await using hub = await startHub();
  hub.silent = true;
  await assert.rejects(fetchWith(hub, folder.path), withCode("source_unreachable"));
});

test("an unknown repository is a missing source, no network is unreachable", async () => {
  using folder = scratchFolder();
  await using hub = await startStubHub("other/model", source.path, content);
  await assert.rejects(fetchWith(hub, folder.path), withCode("source_missing"));
  await assert.rejects(fetchWith("http://127.0.0.1:1", folder.path), withCode("source_unreachable"));
});

test("an interrupt ends it at once and keeps what has arrived", async () => {
  using folder = scratchFolder();
  await using hub = await startHub();
  hub.silent = true;
  const interrupt = new AbortController();
  const pull = fetchWith(hub, folder.path, { signal: interrupt.signal, attempts: 3 });
  const poll = setInterval(() => hub.ranges.length > 0 && interrupt.abort(), 5);
  await assert.rejects(pull, { name: "AbortError" });
  clearInterval(poll);
  assert.equal(hub.ranges.length, 1);
  assert.ok(existsSync(join(folder.path, ".hub.partial.identity")));
});
