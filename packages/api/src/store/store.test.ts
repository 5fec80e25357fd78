import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { WireError } from "@slipstream-stack/protocol";
import { createMemoryStore } from "./memory-store.ts";
import { createSqliteStore } from "./sqlite-store.ts";
import type { Store } from "./store.ts";
import { messageFixture, responseWriteFixture } from "./testing/response-write.ts";

interface Opened {
  readonly store: Store;
  /** Sets the clock that expiry is judged by. */
  readonly setNow: (now: number) => void;
  readonly end: () => Promise<void>;
}

const implementations: Record<string, () => Promise<Opened>> = {
  memory: async () => {
    let now = 1_000;
    const store = createMemoryStore({ clock: { wallClock: () => now } });
    return { store, setNow: (value) => (now = value), end: () => store.close() };
  },
  sqlite: async () => {
    let now = 1_000;
    const folder = mkdtempSync(join(tmpdir(), "slipstream-store-"));
    const store = await createSqliteStore({
      path: join(folder, "store.sqlite"),
      clock: { wallClock: () => now },
      onError: () => {},
    });
    const end = async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    };
    return { store, setNow: (value) => (now = value), end };
  },
};

/** Commits `names` as one chain, each the child of the one before. */
async function commitChain(store: Store, names: readonly string[], scope = "default"): Promise<void> {
  for (const [depth, name] of names.entries()) {
    const before = names[depth - 1];
    const outcome = await store.commit(
      responseWriteFixture(name, {
        scope,
        parent: before === undefined ? null : `resp_${before}`,
        chain: `resp_${names[0]}`,
        depth,
      }),
    );
    assert.equal(outcome.result, "ok");
  }
}

async function idsOfChain(store: Store, id: string): Promise<string[]> {
  return (await store.chain("default", id)).map((node) => node.id);
}

async function sweepAll(store: Store, now: number, limit = 100): Promise<number> {
  let removed = 0;
  for (;;) {
    const swept = await store.sweep(now, limit);
    removed += swept.removed;
    if (!swept.more) return removed;
  }
}

const cases: Record<string, (opened: Opened) => Promise<void>> = {
  "gives back what was committed": async ({ store }) => {
    const write = responseWriteFixture("a");
    const { result, bytes } = await store.commit(write);
    assert.equal(result, "ok");
    assert.ok(bytes > 0);
    assert.deepEqual(await store.response("default", "resp_a"), {
      id: "resp_a",
      parent: null,
      body: write.body,
      items: write.items,
      inputCount: 1,
      settings: write.blobs.get(write.settings),
    });
    assert.deepEqual(await store.lap("default", "resp_a"), write.lap);
  },

  "gives a chain root to leaf with all that a node is made of": async ({ store }) => {
    await commitChain(store, ["a", "b", "c"]);
    const nodes = await store.chain("default", "resp_c");
    assert.deepEqual(
      nodes.map((node) => [node.id, node.parent, node.depth, node.chain, node.deleted]),
      [
        ["resp_a", null, 0, "resp_a", false],
        ["resp_b", "resp_a", 1, "resp_a", false],
        ["resp_c", "resp_b", 2, "resp_a", false],
      ],
    );
    const { blobs, lap, expiresAt, ...rest } = responseWriteFixture("b", {
      parent: "resp_a",
      chain: "resp_a",
      depth: 1,
    });
    assert.deepEqual(nodes[1], {
      ...rest,
      deleted: false,
      headContent: blobs.get(rest.head),
      settingsContent: blobs.get(rest.settings),
    });
  },

  "gives a chain of hundreds whole and in order": async ({ store }) => {
    for (const length of [128, 300]) {
      const names = Array.from({ length }, (_, index) => `l${length}-${index}`);
      await commitChain(store, names);
      const ids = await idsOfChain(store, `resp_${names.at(-1)}`);
      assert.deepEqual(
        ids,
        names.map((name) => `resp_${name}`),
      );
    }
  },

  "follows the branch of a fork and not its sibling": async ({ store }) => {
    await commitChain(store, ["a", "b", "c"]);
    await store.commit(responseWriteFixture("d", { parent: "resp_b", chain: "resp_a", depth: 2 }));
    assert.deepEqual(await idsOfChain(store, "resp_d"), ["resp_a", "resp_b", "resp_d"]);
    assert.deepEqual(await idsOfChain(store, "resp_c"), ["resp_a", "resp_b", "resp_c"]);
  },

  "keeps a response without sampled ids, marks and items": async ({ store }) => {
    await store.commit(responseWriteFixture("a", { sampled: null, marks: [], items: [], inputCount: 0 }));
    const [node] = await store.chain("default", "resp_a");
    assert.equal(node?.sampled, null);
    assert.deepEqual(node?.marks, []);
    assert.deepEqual(node?.items, []);
  },

  "refuses a taken id and changes nothing": async ({ store }) => {
    await store.commit(responseWriteFixture("a"));
    const second = responseWriteFixture("a", { items: [messageFixture("user", "other")] });
    assert.equal((await store.commit(second)).result, "conflict");
    assert.equal((await store.response("default", "resp_a"))?.items.length, 2);
  },

  "says that a parent is gone when it never was, was removed, or expired": async ({ store, setNow }) => {
    const child = (name: string, parent: string) => responseWriteFixture(name, { parent, depth: 1 });
    assert.equal((await store.commit(child("x", "resp_never"))).result, "parent_gone");
    await store.commit(responseWriteFixture("a"));
    await store.remove("default", "resp_a");
    assert.equal((await store.commit(child("y", "resp_a"))).result, "parent_gone");
    await store.commit(responseWriteFixture("b", { expiresAt: 2_000 }));
    setNow(2_000);
    assert.equal((await store.commit(child("z", "resp_b"))).result, "parent_gone");
    for (const id of ["resp_x", "resp_y", "resp_z"]) assert.equal(await store.response("default", id), null);
  },

  "answers a child and its parent that were sent together": async ({ store }) => {
    const outcomes = await Promise.all([
      store.commit(responseWriteFixture("a")),
      store.commit(responseWriteFixture("b", { parent: "resp_a", depth: 1 })),
      store.commit(responseWriteFixture("a")),
      store.commit(responseWriteFixture("c", { parent: "resp_gone", depth: 1 })),
    ]);
    assert.deepEqual(
      outcomes.map((outcome) => outcome.result),
      ["ok", "ok", "conflict", "parent_gone"],
    );
  },

  "finds no id of another scope by any call": async ({ store }) => {
    await commitChain(store, ["a"], "tenant-1");
    const page = { after: null, limit: 10, order: "asc" } as const;
    assert.equal(await store.response("tenant-2", "resp_a"), null);
    assert.deepEqual(await store.chain("tenant-2", "resp_a"), []);
    assert.equal(await store.inputItems("tenant-2", "resp_a", page), null);
    assert.equal(await store.lap("tenant-2", "resp_a"), null);
    assert.equal(await store.remove("tenant-2", "resp_a"), false);
    const foreign = responseWriteFixture("b", { scope: "tenant-2", parent: "resp_a" });
    assert.equal((await store.commit(foreign)).result, "parent_gone");
    assert.equal((await store.commit(responseWriteFixture("a", { scope: "tenant-2" }))).result, "ok");
    assert.equal(await store.remove("tenant-2", "resp_a"), true);
    assert.notEqual(await store.response("tenant-1", "resp_a"), null);
  },

  "takes a removed response out of reach at once and keeps it for its children": async ({ store }) => {
    await commitChain(store, ["a", "b", "c"]);
    assert.equal(await store.remove("default", "resp_b"), true);
    assert.equal(await store.remove("default", "resp_b"), false);
    assert.equal(await store.response("default", "resp_b"), null);
    assert.equal(await store.lap("default", "resp_b"), null);
    assert.deepEqual(await store.chain("default", "resp_b"), []);
    await sweepAll(store, 1_000);
    const nodes = await store.chain("default", "resp_c");
    assert.deepEqual(
      nodes.map((node) => [node.id, node.deleted, node.items.length]),
      [
        ["resp_a", false, 2],
        ["resp_b", true, 2],
        ["resp_c", false, 2],
      ],
    );
  },

  "sweeps an ancestor once its last child is gone": async ({ store }) => {
    await commitChain(store, ["a", "b", "c"]);
    await store.commit(responseWriteFixture("d", { parent: "resp_b", chain: "resp_a", depth: 2 }));
    for (const id of ["resp_a", "resp_b", "resp_c"]) await store.remove("default", id);
    assert.equal(await sweepAll(store, 1_000), 1);
    assert.deepEqual(await idsOfChain(store, "resp_d"), ["resp_a", "resp_b", "resp_d"]);
    await store.remove("default", "resp_d");
    assert.equal(await sweepAll(store, 1_000), 3);
  },

  "sweeps what has expired in bounded steps": async ({ store, setNow }) => {
    for (let index = 0; index < 7; index += 1) {
      await store.commit(responseWriteFixture(`e${index}`, { expiresAt: 2_000 + index }));
    }
    await store.commit(responseWriteFixture("kept"));
    assert.deepEqual(await store.sweep(1_999, 3), { removed: 0, more: false });
    setNow(2_005);
    assert.equal(await store.response("default", "resp_e5"), null);
    assert.notEqual(await store.response("default", "resp_e6"), null);
    const first = await store.sweep(2_005, 3);
    assert.ok(first.removed <= 3 && first.more);
    assert.equal(first.removed + (await sweepAll(store, 2_005, 3)), 6);
    assert.notEqual(await store.response("default", "resp_kept"), null);
  },

  "drops a blob with its last user and takes it again": async ({ store }) => {
    await store.commit(responseWriteFixture("a"));
    await store.remove("default", "resp_a");
    assert.equal(await sweepAll(store, 1_000), 1);
    const withoutContents = responseWriteFixture("b", { blobs: new Map() });
    await assert.rejects(store.commit(withoutContents), { code: "server_error" });
    assert.equal((await store.commit(responseWriteFixture("c"))).result, "ok");
    assert.equal((await store.commit(withoutContents)).result, "ok");
    assert.notEqual(await store.response("default", "resp_b"), null);
  },

  "pages the input of a whole chain both ways": async ({ store }) => {
    await commitChain(store, ["a", "b", "c"]);
    const texts = ["msg_a_in", "msg_a_out", "msg_b_in", "msg_b_out", "msg_c_in"];
    for (const order of ["asc", "desc"] as const) {
      const seen: unknown[] = [];
      let after: string | null = null;
      for (;;) {
        const page = await store.inputItems("default", "resp_c", { after, limit: 2, order });
        assert.ok(page !== null && page.data.length <= 2);
        seen.push(...page.data.map((item) => ("id" in item ? item.id : null)));
        assert.equal(page.firstId, (page.data[0] as { id?: string }).id);
        after = page.lastId;
        if (!page.hasMore) break;
      }
      assert.deepEqual(seen, order === "asc" ? texts : texts.toReversed());
    }
  },

  "gives items without an id the same one at every reading": async ({ store }) => {
    const items = [messageFixture("user", "one"), messageFixture("user", "two")];
    await store.commit(responseWriteFixture("a", { items, inputCount: 2, sampled: null }));
    const whole = await store.inputItems("default", "resp_a", { after: null, limit: 10, order: "asc" });
    const rest = await store.inputItems("default", "resp_a", {
      after: whole?.firstId ?? null,
      limit: 10,
      order: "asc",
    });
    assert.notEqual(whole?.firstId, null);
    assert.deepEqual(rest?.data, whole?.data.slice(1));
    assert.deepEqual((await store.response("default", "resp_a"))?.items, items);
  },

  "answers a page after an unknown item with invalid_value": async ({ store }) => {
    await store.commit(responseWriteFixture("a"));
    const page = { after: "msg_none", limit: 10, order: "asc" } as const;
    await assert.rejects(
      store.inputItems("default", "resp_a", page),
      (error) => WireError.isInstance(error) && error.code === "invalid_value" && error.param === "after",
    );
  },

  "is not changed by what a caller does to a write afterwards": async ({ store }) => {
    const ids = Uint32Array.of(7, 8, 9);
    const committed = store.commit(responseWriteFixture("a", { sampled: { firstItem: 1, ids } }));
    ids.fill(0);
    await committed;
    const [node] = await store.chain("default", "resp_a");
    assert.deepEqual(node?.sampled?.ids, Uint32Array.of(7, 8, 9));
  },

  "fails every call after close with storage_unavailable": async ({ store }) => {
    await store.close();
    await assert.rejects(store.commit(responseWriteFixture("a")), { code: "storage_unavailable" });
    await assert.rejects(store.response("default", "resp_a"), { code: "storage_unavailable" });
    await store.close();
  },
};

for (const [implementation, open] of Object.entries(implementations)) {
  describe(`store: ${implementation}`, () => {
    for (const [name, check] of Object.entries(cases)) {
      it(name, async () => {
        const opened = await open();
        try {
          await check(opened);
        } finally {
          await opened.end();
        }
      });
    }
  });
}
