import type { SampledOutput, StoredMark } from "../store.ts";

/** Unsigned LEB128: seven bits a byte, low bits first, so that a token id takes two or three bytes. */
function encodeVarints(values: Iterable<number>, atMost: number): Uint8Array {
  const bytes = new Uint8Array(atMost * 5);
  let offset = 0;
  for (let value of values) {
    if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) {
      throw new RangeError(`A stored number must be an unsigned 32-bit integer, got ${value}.`);
    }
    while (value > 0x7f) {
      bytes[offset++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    bytes[offset++] = value;
  }
  return bytes.slice(0, offset);
}

function decodeVarints(bytes: Uint8Array): Uint32Array {
  const values = new Uint32Array(bytes.length);
  let count = 0;
  let value = 0;
  let shift = 0;
  for (const byte of bytes) {
    value |= (byte & 0x7f) << shift;
    shift += 7;
    if (byte > 0x7f) continue;
    values[count++] = value >>> 0;
    value = 0;
    shift = 0;
  }
  return values.slice(0, count);
}

/** Sampled ids with the index of their first item before them. */
export function packSampled(sampled: SampledOutput): Uint8Array {
  function* values(): Iterable<number> {
    yield sampled.firstItem;
    yield* sampled.ids;
  }
  return encodeVarints(values(), sampled.ids.length + 1);
}

export function unpackSampled(bytes: Uint8Array): SampledOutput {
  const values = decodeVarints(bytes);
  return { firstItem: values[0] ?? 0, ids: values.slice(1) };
}

/**
 * Marks as distances from one to the next, doubled to carry `aligned`. Ends never fall along the marks, so a
 * distance is never negative.
 */
export function packMarks(marks: readonly StoredMark[]): Uint8Array {
  let before = 0;
  const values = marks.map((mark) => {
    // A half doubled is whole, and would come back as another number.
    const distance = Number.isInteger(mark.end) ? mark.end - before : Number.NaN;
    before = mark.end;
    return distance * 2 + (mark.aligned ? 1 : 0);
  });
  return encodeVarints(values, values.length);
}

export function unpackMarks(bytes: Uint8Array): StoredMark[] {
  let end = 0;
  return Array.from(decodeVarints(bytes), (value) => {
    end += value >>> 1;
    return { end, aligned: (value & 1) === 1 };
  });
}
