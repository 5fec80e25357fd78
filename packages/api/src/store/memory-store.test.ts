import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createMemoryStore } from "./memory-store.ts";
import { messageFixture, responseWriteFixture } from "./testing/response-write.ts";

const large = (name: string, characters: number) =>
  responseWriteFixture(name, { items: [messageFixture("user", "x".repeat(characters))] });

describe("the memory store's limits", () => {
  it("forgets whole chains, the one longest untouched first", async () => {
    const store = createMemoryStore({ maxResponses: 4 });
    await store.commit(responseWriteFixture("a"));
    await store.commit(responseWriteFixture("b"));
    await store.commit(responseWriteFixture("b2", { parent: "resp_b", depth: 1 }));
    await store.commit(responseWriteFixture("a2", { parent: "resp_a", depth: 1 }));
    await store.commit(responseWriteFixture("c"));
    for (const id of ["resp_b", "resp_b2"]) assert.equal(await store.response("default", id), null);
    for (const id of ["resp_a", "resp_a2", "resp_c"])
      assert.notEqual(await store.response("default", id), null);
  });

  it("count bytes, given back by what was swept", async () => {
    const store = createMemoryStore({ maxBytes: 100_000 });
    await store.commit(large("a", 60_000));
    await store.remove("default", "resp_a");
    await store.sweep(0, 10);
    await store.commit(large("b", 60_000));
    await store.commit(large("c", 20_000));
    assert.notEqual(await store.response("default", "resp_b"), null);
    await store.commit(large("d", 40_000));
    assert.equal(await store.response("default", "resp_b"), null);
    assert.notEqual(await store.response("default", "resp_c"), null);
  });

  it("never forget the chain at work", async () => {
    const store = createMemoryStore({ maxResponses: 2 });
    let parent: string | null = null;
    for (let depth = 0; depth < 5; depth += 1) {
      const outcome = await store.commit(responseWriteFixture(`n${depth}`, { parent, depth }));
      assert.equal(outcome.result, "ok");
      parent = `resp_n${depth}`;
    }
    assert.equal((await store.chain("default", "resp_n4")).length, 5);
  });

  it("keep an evicted chain's head while another chain uses it", async () => {
    const store = createMemoryStore({ maxResponses: 1 });
    await store.commit(responseWriteFixture("a"));
    const write = responseWriteFixture("b", { blobs: new Map() });
    await store.commit(write);
    const [node] = await store.chain("default", "resp_b");
    assert.deepEqual(node?.headContent, responseWriteFixture("b").blobs.get(write.head));
  });
});
