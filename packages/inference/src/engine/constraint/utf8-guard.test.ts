import assert from "node:assert/strict";
import { test } from "node:test";
import { hasToken, tokenSet } from "./token-set.ts";
import { Utf8Guard } from "./utf8-guard.ts";

const pieces = [
  ...Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
  Uint8Array.of(0x61, 0xed, 0xa0),
];
const guard = new Utf8Guard(pieces);

function left(lastByte: number): (id: number) => boolean {
  const mask = tokenSet(pieces.keys(), pieces.length);
  guard.narrow(mask, lastByte);
  return (id) => hasToken(mask, id);
}

test("what is nowhere in UTF-8 is never admitted", () => {
  const has = left(0x61);
  assert.deepEqual([0xc0, 0xc1, 0xf5, 0xff, 256].map(has), [false, false, false, false, false]);
  assert.deepEqual([0x00, 0x61, 0x80, 0xc2, 0xf4].map(has), [true, true, true, true, true]);
});

test("each pair of bytes is admitted exactly where some character begins with it", () => {
  const known = new Set<number>();
  for (let code = 0x800; code <= 0x10ffff; code += 1) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const [first = 0, second = 0] = Buffer.from(String.fromCodePoint(code));
    known.add(first * 256 + second);
  }
  for (let lead = 0xe0; lead <= 0xf4; lead += 1) {
    const has = left(lead);
    for (let byte = 0x80; byte <= 0xbf; byte += 1) {
      assert.equal(has(byte), known.has(lead * 256 + byte), `${lead} ${byte}`);
    }
  }
});
