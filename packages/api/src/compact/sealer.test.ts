import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createSealer } from "./sealer.ts";

const key = new Uint8Array(32).fill(7);
const sealer = createSealer(key);

describe("a sealer", () => {
  it("opens what it sealed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        assert.equal(sealer.open(sealer.seal(text)), text);
      }),
    );
  });

  it("hides the text and never seals it the same way twice", () => {
    const text = "the password is tulip";
    const sealed = sealer.seal(text);
    assert.notEqual(sealer.seal(text), sealed);
    for (const encoding of ["utf8", "base64url", "hex"] as const) {
      assert.equal(sealed.includes(Buffer.from("tulip").toString(encoding)), false);
    }
    assert.match(sealed, /^[\x21-\x7e]+$/);
  });

  it("opens with the same key after a restart, and with no other", () => {
    const sealed = sealer.seal("text");
    assert.equal(createSealer(key.slice()).open(sealed), "text");
    const other = createSealer(new Uint8Array(32).fill(8));
    assert.equal(other.open(sealed), null);
    assert.notEqual(other.keyId, sealer.keyId);
    // Under a forged key id the tag no longer fits.
    assert.equal(other.open(sealed.replace(sealer.keyId, other.keyId)), null);
  });

  it("opens nothing that was changed at any place", () => {
    const sealed = sealer.seal("some text to seal");
    const start = sealed.lastIndexOf(".") + 1;
    const bytes = Buffer.from(sealed.slice(start), "base64url");
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.equal(sealer.open(sealed.slice(0, start) + changed.toString("base64url")), null);
    }
    for (const end of [0, 4, start, start + 10, sealed.length - 4]) {
      assert.equal(sealer.open(sealed.slice(0, end)), null);
    }
  });

  it("opens no text of anyone else's, whatever it is", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        assert.equal(sealer.open(text), null);
        assert.equal(sealer.open(`slipseal1.${sealer.keyId}.${text}`), null);
      }),
    );
  });

  it("takes keys of 32 bytes only", () => {
    assert.throws(() => createSealer(new Uint8Array(16)), RangeError);
  });
});
