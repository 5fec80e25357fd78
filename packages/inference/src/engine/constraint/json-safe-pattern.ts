/** Characters that cannot stand raw in a JSON string, as the inside of a character class. */
const unsafe = '"\\\\\\x00-\\x1f';

/** How JSON writes characters that a pattern may name. */
const escapes = new Map([
  ['"', '\\\\"'],
  ["\\\\", "\\\\\\\\"],
  ["\\n", "\\\\n"],
  ["\\r", "\\\\r"],
  ["\\t", "\\\\t"],
  ["\\f", "\\\\f"],
  ['\\"', '\\\\"'],
]);

/** Classes that admit what may not stand raw, with what they exclude. */
const negated = new Map([
  ["\\S", "\\s"],
  ["\\D", "\\d"],
  ["\\W", "\\w"],
]);

function codeOf(atom: string): number {
  const hex = /^\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]+)\})$/i.exec(atom);
  if (hex !== null) return Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "0", 16);
  const control = { "\\n": 10, "\\r": 13, "\\t": 9, "\\f": 12, "\\v": 11, "\\b": 8, "\\0": 0 }[atom];
  return control ?? atom.codePointAt(atom.startsWith("\\") ? 1 : 0) ?? 0;
}

function hex(code: number): string {
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, "0")}` : String.fromCodePoint(code);
}

/** A range without the characters that cannot stand raw. */
function safeRange(from: number, to: number): string {
  const gaps = [0x22, 0x5c];
  let text = "";
  let start = Math.max(from, 0x20);
  for (const gap of gaps) {
    if (gap < start || gap > to) continue;
    if (gap > start) text += `${hex(start)}-${hex(gap - 1)}`;
    start = gap + 1;
  }
  if (start === to) return text + hex(start);
  return start < to ? `${text}${hex(start)}-${hex(to)}` : text;
}

const classAtom = /\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\.|[^\\]/giu;

function positiveClass(body: string): string {
  const atoms = body.match(classAtom) ?? [];
  let raw = "";
  const written: string[] = [];
  for (let index = 0; index < atoms.length; index += 1) {
    const atom = atoms[index] ?? "";
    const to = atoms[index + 2];
    if (atoms[index + 1] === "-" && to !== undefined) {
      raw += safeRange(codeOf(atom), codeOf(to));
      index += 2;
    } else if (escapes.has(atom)) written.push(escapes.get(atom) ?? "");
    else if (/^\\[dwsDWS]$/.test(atom)) raw += negated.has(atom) ? "" : atom === "\\s" ? " " : atom;
    else raw += safeRange(codeOf(atom), codeOf(atom));
    const excluded = negated.get(atom);
    if (excluded !== undefined) written.push(`[^${excluded}${unsafe}]`);
  }
  if (raw !== "") written.unshift(`[${raw}]`);
  return written.length === 1 ? (written[0] ?? "") : `(${written.join("|")})`;
}

/**
 * A regular expression over the text between the quotes of a JSON string, from one over its value: what admits
 * any character admits those that may stand raw, what names a quote, a backslash or a control character admits
 * its escape. Matches less than `pattern` where a class would admit an escape among others, never more.
 */
export function jsonSafePattern(pattern: string): string {
  const atoms = /\[\^?(?:\\.|[^\]\\])*\]|\\x[0-9a-f]{2}|\\u\{[0-9a-f]+\}|\\u[0-9a-f]{4}|\\.|[^\\[]/giu;
  return pattern.replace(atoms, (atom) => {
    if (atom === ".") return `[^${unsafe}]`;
    if (atom === "\\s") return " ";
    if (atom.startsWith("[^")) return `[^${atom.slice(2, -1)}${unsafe}]`;
    if (atom.startsWith("[")) return positiveClass(atom.slice(1, -1));
    const excluded = negated.get(atom);
    return excluded === undefined ? (escapes.get(atom) ?? atom) : `[^${excluded}${unsafe}]`;
  });
}
