import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { recordOf } from "../record/record.ts";
import { responseWriteFixture } from "../testing/response-write.ts";
import type { StoreCallMessage, StoreReplyMessage } from "./protocol.ts";
import { StoreService } from "./store-service.ts";

const folder = mkdtempSync(join(tmpdir(), "slipstream-service-"));
after(() => rmSync(folder, { recursive: true }));

/** Gives a service all messages at once and collects its replies until each has one. */
function replies(
  service: (reply: (message: StoreReplyMessage) => void) => StoreService,
  messages: StoreCallMessage[],
) {
  return new Promise<StoreReplyMessage[]>((resolve) => {
    const seen: StoreReplyMessage[] = [];
    const started = service((message) => {
      seen.push(message);
      if (seen.length === messages.length) resolve(seen);
    });
    for (const message of messages) started.receive(message);
  });
}

const commit = (call: number, name: string): StoreCallMessage => ({
  call,
  operation: "commit",
  request: { record: recordOf(responseWriteFixture(name), () => false), now: 0 },
});
const read = (call: number, name: string): StoreCallMessage => ({
  call,
  operation: "response",
  request: { scope: "default", id: `resp_${name}`, now: 0 },
});

describe("the store's service", () => {
  it("answers in the order of the calls, reads between commits seeing those before them only", async () => {
    const path = join(folder, "store.sqlite");
    const open: StoreCallMessage = {
      call: 0,
      operation: "open",
      request: { path, busyTimeoutMs: 100, maxBytes: null },
    };
    const seen = await replies(
      (reply) => new StoreService(reply),
      [
        open,
        commit(1, "a"),
        read(2, "a"),
        read(3, "b"),
        commit(4, "b"),
        commit(5, "b"),
        read(6, "b"),
        { call: 7, operation: "close", request: null },
        read(8, "a"),
      ],
    );
    assert.deepEqual(
      seen.map((message) => message.call),
      [0, 1, 2, 3, 4, 5, 6, 7, 8],
    );
    const shown = seen.map((message) => {
      if ("failure" in message) return message.failure.kind;
      const { result } = message;
      if (result === null || typeof result !== "object") return result;
      return "result" in result ? result.result : "id" in result ? result.id : "?";
    });
    assert.deepEqual(shown, [null, "ok", "resp_a", null, "ok", "conflict", "resp_b", null, "other"]);
  });

  it("fails commits before it is open, each of them", async () => {
    const seen = await replies((reply) => new StoreService(reply), [commit(1, "a"), commit(2, "b")]);
    for (const message of seen) assert.ok("failure" in message);
  });
});
