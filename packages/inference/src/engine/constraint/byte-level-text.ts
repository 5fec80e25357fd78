function isPrintable(byte: number): boolean {
  return (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
}

function alphabet(): string[] {
  const letters: string[] = [];
  let moved = 0;
  for (let byte = 0; byte < 256; byte += 1) {
    letters.push(String.fromCodePoint(isPrintable(byte) ? byte : 256 + moved));
    if (!isPrintable(byte)) moved += 1;
  }
  return letters;
}

const letters = alphabet();

/**
 * Bytes as GPT-2's byte-level text: one printable character per byte, printable bytes standing for themselves and
 * the others for U+0100 and up, in order. Any bytes can be written so, also halves of characters.
 */
export function toByteLevelText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += letters[byte];
  return text;
}
