const quote = 0x22;
const backslash = 0x5c;
const letterU = 0x75;

/** How far a JSON string has been read: inside an escape or not. Immutable. */
export interface StringScan {
  /** Characters (code points) of the value so far. */
  readonly chars: number;
  /** "" outside an escape, else its bytes so far. */
  readonly escape: string;
  /** The character before was the first half of a surrogate pair, written as an escape. */
  readonly half: boolean;
}

export const emptyString: StringScan = { chars: 0, escape: "", half: false };

function afterEscape(scan: StringScan, sequence: string): StringScan {
  const code = sequence.length > 2 ? Number.parseInt(sequence.slice(2), 16) : 0;
  const second = scan.half && code >= 0xdc00 && code <= 0xdfff;
  const half = code >= 0xd800 && code <= 0xdbff;
  return { chars: scan.chars + (second ? 0 : 1), escape: "", half };
}

/** The scan after one byte more, `null` when that byte is the quote that ends the string. */
export function scanByte(scan: StringScan, byte: number): StringScan | null {
  if (scan.escape !== "") {
    const sequence = scan.escape + String.fromCharCode(byte);
    const whole = sequence.charCodeAt(1) !== letterU || sequence.length === 6;
    return whole ? afterEscape(scan, sequence) : { ...scan, escape: sequence };
  }
  if (byte === quote) return null;
  if (byte === backslash) return { ...scan, escape: "\\" };
  const starts = (byte & 0xc0) !== 0x80;
  return { chars: scan.chars + (starts ? 1 : 0), escape: "", half: false };
}
