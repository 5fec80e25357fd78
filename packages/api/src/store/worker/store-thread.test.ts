import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, it } from "node:test";
import { recordOf } from "../record/record.ts";
import { responseWriteFixture } from "../testing/response-write.ts";
import { StoreThread } from "./store-thread.ts";

let folder = "";
let starts = 0;
let errors: Error[] = [];
let thread: StoreThread;

/** Hooks of one `describe`: unit tests of a package share a process, and top-level hooks would reach them all. */
function useFreshFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "slipstream-thread-"));
    starts = 0;
    errors = [];
    thread = new StoreThread({
      settings: { path: join(folder, "store.sqlite"), busyTimeoutMs: 100, maxBytes: null },
      callTimeoutMs: 10_000,
      pendingLimit: 1_000,
      onError: (error) => errors.push(error),
      onStart: () => {
        starts += 1;
      },
    });
  });
  afterEach(async () => {
    await thread.close();
    rmSync(folder, { recursive: true });
  });
}

const commit = (name: string) =>
  thread.call("commit", { record: recordOf(responseWriteFixture(name), () => false), now: 0 });

describe("the store's thread", () => {
  useFreshFolder();

  it("opens once for calls that come together", async () => {
    await Promise.all([commit("a"), commit("b"), thread.open()]);
    assert.equal(starts, 1);
  });

  it("fails waiting calls when it dies, starts anew, and has kept what it acknowledged", async () => {
    await commit("kept");
    const waiting = Array.from({ length: 20 }, (_, index) => commit(`w${index}`));
    const settled = Promise.allSettled(waiting);
    await thread.kill();
    const failed = (await settled).filter((outcome) => outcome.status === "rejected");
    for (const outcome of failed) assert.equal(outcome.reason.code, "storage_unavailable");
    const found = await thread.call("response", { scope: "default", id: "resp_kept", now: 0 });
    assert.equal(found?.id, "resp_kept");
    assert.equal(starts, 2);
    for (const [index, outcome] of (await settled).entries()) {
      const stored = await thread.call("response", { scope: "default", id: `resp_w${index}`, now: 0 });
      if (outcome.status === "fulfilled") assert.notEqual(stored, null);
    }
  });

  it("finishes waiting commits before it closes", async () => {
    const waiting = [commit("a"), commit("b")];
    await thread.open();
    const closed = thread.close();
    assert.deepEqual(
      (await Promise.all(waiting)).map((outcome) => outcome.result),
      ["ok", "ok"],
    );
    await closed;
    await assert.rejects(commit("c"), { code: "storage_unavailable" });
    assert.deepEqual(errors, []);
  });
});
