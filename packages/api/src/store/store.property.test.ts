import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import { createMemoryStore } from "./memory-store.ts";
import { createSqliteStore } from "./sqlite-store.ts";
import type { Store } from "./store.ts";
import { responseWriteFixture } from "./testing/response-write.ts";

let now = 0;
const clock = { wallClock: () => now };
const folder = mkdtempSync(join(tmpdir(), "slipstream-property-"));
let sqlite: Store;
before(async () => {
  const onError = (error: Error) => assert.fail(error);
  sqlite = await createSqliteStore({ path: join(folder, "store.sqlite"), clock, onError });
});
after(async () => {
  await sqlite.close();
  rmSync(folder, { recursive: true });
});

// Few ids, so that sequences meet the same ones again and again.
const id = fc.nat(7);
const operation = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("commit" as const),
      id,
      parent: fc.option(id, { freq: 4 }),
      head: fc.nat(2),
      lives: fc.option(fc.integer({ min: 1, max: 20 })),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), id }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(10) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("sweep" as const) }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

async function apply(store: Store, scope: string, step: Operation): Promise<unknown> {
  switch (step.kind) {
    case "commit": {
      const parent = step.parent === null ? null : `resp_n${step.parent}`;
      const head = `head-${step.head}`;
      const base = responseWriteFixture(`n${step.id}`, { scope, parent, head });
      const blobs = new Map(base.blobs).set(head, new TextEncoder().encode(head));
      const expiresAt = step.lives === null ? null : now + step.lives;
      return (await store.commit({ ...base, blobs, expiresAt })).result;
    }
    case "remove":
      return store.remove(scope, `resp_n${step.id}`);
    case "wait":
      return null;
    case "sweep": {
      while ((await store.sweep(now, 3)).more);
      return null;
    }
  }
}

async function visible(store: Store, scope: string): Promise<unknown[]> {
  const seen: unknown[] = [];
  for (let index = 0; index < 8; index += 1) {
    const name = `resp_n${index}`;
    const page = { after: null, limit: 3, order: "desc" } as const;
    seen.push(
      await store.response(scope, name),
      await store.chain(scope, name),
      await store.inputItems(scope, name, page),
      await store.lap(scope, name),
    );
  }
  return seen;
}

describe("both stores", () => {
  it("answer the same to any sequence of calls", async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 30 }), async (steps) => {
        runs += 1;
        const scope = `run-${runs}`;
        const memory = createMemoryStore({ clock });
        for (const step of steps) {
          if (step.kind === "wait") now += step.ms;
          assert.deepEqual(await apply(sqlite, scope, step), await apply(memory, scope, step));
        }
        assert.deepEqual(await visible(sqlite, scope), await visible(memory, scope));
      }),
      { numRuns: 60 },
    );
  });
});
