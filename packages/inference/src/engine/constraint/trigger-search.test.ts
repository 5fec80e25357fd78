import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TriggerSearch } from "./trigger-search.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const rest = (text: string) => Buffer.from(text);

test("finds a trigger inside a token and hands back what follows it", () => {
  const search = new TriggerSearch([bytes("<x>")]);
  assert.equal(search.feed(bytes("some text")), null);
  const hit = search.feed(bytes("a<x>{"));
  assert.equal(hit?.index, 0);
  assert.deepEqual(Buffer.from(hit?.rest ?? []), rest("{"));
});

test("finds a trigger split over several tokens", () => {
  const search = new TriggerSearch([bytes("<tool_call>")]);
  for (const part of ["see <", "to", "ol_", "call"]) assert.equal(search.feed(bytes(part)), null);
  assert.equal(search.feed(bytes(">"))?.rest.length, 0);
});

test("starts anew after a hit", () => {
  const search = new TriggerSearch([bytes("aa")]);
  assert.notEqual(search.feed(bytes("aa")), null);
  assert.equal(search.feed(bytes("a")), null);
  assert.notEqual(search.feed(bytes("a")), null);
});

test("forgets a begun trigger on reset", () => {
  const search = new TriggerSearch([bytes("<x>")]);
  search.feed(bytes("<x"));
  search.reset();
  assert.equal(search.feed(bytes(">")), null);
});

test("the trigger that ends first wins, the longest of those that end together", () => {
  assert.equal(new TriggerSearch([bytes("bcd"), bytes("c")]).feed(bytes("abcd"))?.index, 1);
  assert.equal(new TriggerSearch([bytes("d"), bytes("bcd")]).feed(bytes("abcd"))?.index, 1);
});

test("without triggers nothing is ever found", () => {
  assert.equal(new TriggerSearch([]).feed(bytes("anything")), null);
});

test("however a text is cut, the same trigger is found at the same place", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "<"), minLength: 1, maxLength: 4 });
  const cuts = fc.array(fc.string({ unit: fc.constantFrom("a", "b", "<"), maxLength: 3 }), { maxLength: 12 });
  fc.assert(
    fc.property(fc.array(letters, { minLength: 1, maxLength: 3 }), cuts, (triggers, parts) => {
      const whole = new TriggerSearch(triggers.map(bytes)).feed(bytes(parts.join("")));
      const search = new TriggerSearch(triggers.map(bytes));
      let seen = 0;
      for (const part of parts) {
        seen += part.length;
        const hit = search.feed(bytes(part));
        if (hit === null) continue;
        assert.ok(whole !== null);
        assert.equal(triggers[hit.index], triggers[whole.index]);
        assert.equal(seen - hit.rest.length, parts.join("").length - whole.rest.length);
        return;
      }
      assert.equal(whole, null);
    }),
  );
});
