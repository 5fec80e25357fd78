import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settingsSchema } from "@slipstream-stack/protocol";
import { SettingsCache } from "./settings-cache.ts";

const settings = (raw: object) => settingsSchema.parse({ model: "m", ...raw });

describe("SettingsCache", () => {
  it("reads settings of one key once, and shares one object among equal values", () => {
    const cache = new SettingsCache(1_000_000);
    let reads = 0;
    const read = () => {
      reads += 1;
      return settings({ instructions: "a", temperature: 0.5 });
    };
    const first = cache.resolve("s", "key", read);
    assert.equal(cache.resolve("s", "key", read), first);
    assert.equal(reads, 1);
    assert.equal(
      cache.resolve("s", "other key", () => settings({ temperature: 0.5, instructions: "a" })),
      first,
    );
    assert.equal(cache.byFingerprint("s", first.fingerprint), first);
  });

  it("keeps scopes apart", () => {
    const cache = new SettingsCache(1_000_000);
    const { fingerprint } = cache.resolve("s", "key", () => settings({}));
    assert.equal(cache.byFingerprint("other", fingerprint), null);
  });

  it("stays within its bytes", () => {
    const cache = new SettingsCache(20_000);
    const made = Array.from({ length: 40 }, (_, index) =>
      cache.resolve("s", `${index}`, () => settings({ instructions: `${index}`.padEnd(500, "x") })),
    );
    const held = made.filter(({ fingerprint }) => cache.byFingerprint("s", fingerprint) !== null);
    assert.ok(held.reduce((sum, { bytes }) => sum + bytes, 0) <= 20_000);
    assert.equal(held.at(-1), made.at(-1));
  });

  it("fills in OpenAI's defaults", () => {
    const { sampling, toolChoice, parallelToolCalls, serviceTier } = new SettingsCache(1e6).resolve(
      "s",
      "k",
      () => settings({ service_tier: "auto" }),
    );
    assert.deepEqual([sampling.temperature, sampling.topP], [1, 1]);
    assert.deepEqual([toolChoice, parallelToolCalls, serviceTier], ["auto", true, "default"]);
  });
});
