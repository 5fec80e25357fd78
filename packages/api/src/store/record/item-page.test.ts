import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Item } from "@slipstream-stack/protocol";
import fc from "fast-check";
import { messageFixture } from "../testing/response-write.ts";
import { itemPage, withIds } from "./item-page.ts";

const idsOf = (items: readonly Item[]) => items.map((item) => ("id" in item ? item.id : null));
const numbered = (count: number) =>
  Array.from({ length: count }, (_, index) => messageFixture("user", "text", `msg_${index}`));

describe("a page of items", () => {
  it("walked from page to page gives every item once and in order", () => {
    const order = fc.constantFrom("asc" as const, "desc" as const);
    fc.assert(
      fc.property(fc.nat(40), fc.integer({ min: 1, max: 12 }), order, (count, limit, order) => {
        const items = numbered(count);
        const walked: Item[] = [];
        let after: string | null = null;
        for (;;) {
          const page = itemPage(items, { after, limit, order });
          walked.push(...page.data);
          if (!page.hasMore) break;
          assert.equal(page.data.length, limit);
          after = page.lastId;
        }
        assert.deepEqual(walked, order === "asc" ? items : items.toReversed());
      }),
    );
  });

  it("is empty, with nothing more, where there is no item", () => {
    const page = itemPage([], { after: null, limit: 5, order: "asc" });
    assert.deepEqual(page, { data: [], firstId: null, lastId: null, hasMore: false });
  });

  it("ends even where items share an id", () => {
    const items = [...numbered(2), messageFixture("user", "again", "msg_0"), ...numbered(1)];
    let after: string | null = null;
    let pages = 0;
    do {
      const page = itemPage(items, { after, limit: 1, order: "asc" });
      after = page.hasMore ? page.lastId : null;
      pages += 1;
      assert.ok(pages <= items.length);
    } while (after !== null);
  });

  it("begins nowhere but after an item", () => {
    const page = { after: "msg_9", limit: 5, order: "asc" } as const;
    assert.throws(() => itemPage(numbered(3), page), { code: "invalid_value", param: "after" });
  });
});

describe("items that came without an id", () => {
  it("get one of their type that differs by response and place, and keep the ones they have", () => {
    const call: Item = { type: "function_call", call_id: "call_1", name: "shell", arguments: "{}" };
    const foreign = { type: "web_search_call", query: "x" } as unknown as Item;
    const items = [messageFixture("user", "a"), call, foreign, messageFixture("user", "b", "msg_own")];
    assert.deepEqual(idsOf(withIds("resp_7", items)), ["msg_7_0", "fc_7_1", "item_7_2", "msg_own"]);
    assert.deepEqual(withIds("resp_7", items), withIds("resp_7", items));
    assert.notDeepEqual(idsOf(withIds("resp_7", items)), idsOf(withIds("resp_8", items)));
  });
});
