import assert from "node:assert/strict";
import { test } from "node:test";
import {
  alternativeRecipe,
  type NamedJson,
  openingOf,
  openingsRecipe,
  plainRecipe,
} from "./grammar-recipe.ts";

const [get, list] = [
  { name: "get", schema: { type: "object" } },
  { name: "list", schema: { type: "array" } },
] as const;
const source: NamedJson = {
  kind: "named_json",
  begin: "<",
  alternatives: [get, list],
  between: "=",
  end: ">",
};

test("the same grammar has the same key, another another", () => {
  const keys = [
    plainRecipe({ kind: "json_schema", schema: { type: "object" } }),
    plainRecipe({ kind: "json_schema", schema: { type: "array" } }),
    plainRecipe({ kind: "ebnf", text: 'root ::= "a"' }),
    openingsRecipe(source),
    alternativeRecipe(source, get),
    alternativeRecipe(source, list),
    alternativeRecipe({ ...source, end: "" }, get),
  ].map(({ key }) => key);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(openingsRecipe({ ...source }).key, openingsRecipe(source).key);
  assert.ok(keys.every((key) => /^[\da-f]{32}$/.test(key)));
});

test("any object is the schema of an object", () => {
  const schema = { type: "object" };
  assert.equal(plainRecipe({ kind: "json_object" }).key, plainRecipe({ kind: "json_schema", schema }).key);
});

test("the grammar of the openings knows nothing of the schemas, nor one alternative of the others", () => {
  const changed = { ...source, alternatives: [get, { name: "list", schema: {} }] };
  assert.equal(openingsRecipe(changed).key, openingsRecipe(source).key);
  assert.equal(alternativeRecipe(changed, get).key, alternativeRecipe(source, get).key);
  assert.equal(openingOf(source, list), "<list=");
});
