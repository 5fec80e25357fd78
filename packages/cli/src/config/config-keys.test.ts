import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { configKeys, flagOf, parseText, takesSwitch } from "./config-keys.ts";
import { configSchema } from "./schema.ts";

const keyOf = (path: string) => configKeys.find((key) => key.path === path)!;

test("every key has one flag and one variable of its own", () => {
  for (const name of [flagOf, (path: string) => keyOf(path).variable]) {
    assert.equal(new Set(configKeys.map(({ path }) => name(path))).size, configKeys.length);
  }
  assert.equal(keyOf("techniques.prefix_reuse").variable, "SLIPSTREAM_TECHNIQUES_PREFIX_REUSE");
  assert.equal(flagOf("techniques.prefix_reuse"), "--techniques-prefix-reuse");
});

test("every default is a value that its key accepts", () => {
  const defaults = configSchema.parse({}) as Record<string, unknown>;
  for (const { path, schema } of configKeys) {
    const [first = "", second] = path.split(".");
    const outer = defaults[first];
    const value = second === undefined ? outer : (outer as Record<string, unknown>)[second];
    assert.equal(schema.safeParse(value).success, true, path);
  }
});

test("what a text becomes is always accepted by its key", () => {
  fc.assert(
    fc.property(fc.constantFrom(...configKeys), fc.string(), (key, text) => {
      const value = parseText(key, text);
      return value === undefined || key.schema.safeParse(value).success;
    }),
  );
});

test("whole numbers of a key's range survive as text", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 65_535 }),
      (port) => parseText(keyOf("port"), ` ${port} `) === port,
    ),
  );
});

test("a switch has many spellings, and only switches take them", () => {
  for (const text of ["on", "YES", "1", "true"]) assert.equal(parseText(keyOf("deterministic"), text), true);
  for (const text of ["off", "No", "0", "false"])
    assert.equal(parseText(keyOf("deterministic"), text), false);
  assert.equal(takesSwitch(keyOf("deterministic")), true);
  assert.equal(takesSwitch(keyOf("port")), false);
  assert.equal(parseText(keyOf("port"), "true"), undefined);
  assert.deepEqual(parseText(keyOf("allowed_hosts"), ""), []);
});
