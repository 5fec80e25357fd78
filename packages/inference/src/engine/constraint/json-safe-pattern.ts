import {
  type CharacterSet,
  characterSet,
  classBody,
  common,
  complement,
  members,
  namedSets,
  sizeOf,
  without,
} from "./character-set.ts";

const quote = 0x22;
const backslash = 0x5c;

const ascii: CharacterSet = [[0, 0x7f]];

/** What cannot stand raw in a JSON string. */
const unsafe: CharacterSet = [
  [0, 0x1f],
  [quote, quote],
  [backslash, backslash],
];

/** How JSON writes some of it, as a regular expression. */
const escapes = new Map([
  [quote, '\\\\"'],
  [backslash, "\\\\\\\\"],
  [0x08, "\\\\b"],
  [0x09, "\\\\t"],
  [0x0a, "\\\\n"],
  [0x0c, "\\\\f"],
  [0x0d, "\\\\r"],
]);

const controls = new Map([
  ["n", 0x0a],
  ["r", 0x0d],
  ["t", 0x09],
  ["f", 0x0c],
  ["v", 0x0b],
  ["0", 0],
]);

/** A set of more characters than this keeps only those that may stand raw: escapes would slow every mask. */
const fewCharacters = 64;

const character = String.raw`\\x[\da-f]{2}|\\u\{[\da-f]+\}|\\u[\da-f]{4}|\\c[a-z]|\\.|[^\\]`;
const classItems = new RegExp(character, "giu");
const atoms = new RegExp(String.raw`\[(?:\\.|[^\]\\])*\]|\(\?|\{\d+(?:,\d*)?\}|${character}`, "giu");
/** What is not one character but says how others are matched. */
const syntax = /^(?:\(\?|\{.+\}|\\[bBpPk1-9]|[\^$*+?()|{}])$/;

function pointOf(item: string): number {
  const code = /^\\(?:x(..)|u\{(.+)\}|u(....))$/.exec(item);
  if (code !== null) return Number.parseInt(code[1] ?? code[2] ?? code[3] ?? "", 16);
  if (item.startsWith("\\c")) return (item.codePointAt(2) ?? 0) % 32;
  return item.startsWith("\\")
    ? (controls.get(item.slice(1)) ?? item.codePointAt(1) ?? 0)
    : (item.codePointAt(0) ?? 0);
}

function setOf(item: string): CharacterSet {
  const [, name] = /^\\([dwsDWS])$/.exec(item) ?? [];
  if (name === undefined) return [[pointOf(item), pointOf(item)]];
  const lower = name.toLowerCase();
  const set: CharacterSet = lower === "d" ? namedSets.d : lower === "w" ? namedSets.w : namedSets.s;
  return name === lower ? set : complement(set);
}

function classSet(body: string): CharacterSet {
  const negated = body.startsWith("^");
  const items = (negated ? body.slice(1) : body).match(classItems) ?? [];
  const ranges: (readonly [number, number])[] = [];
  for (let index = 0; index < items.length; index += 1) {
    const item = items[index] ?? "";
    const to = items[index + 2];
    if (items[index + 1] === "-" && to !== undefined) {
      ranges.push([pointOf(item), pointOf(to)]);
      index += 2;
    } else {
      // \b is a backspace in a class, and a word border outside of one.
      ranges.push(...(item === "\\b" ? [[8, 8] as const] : setOf(item)));
    }
  }
  const set = characterSet(ranges);
  return negated ? complement(set) : set;
}

function expression(set: CharacterSet): string {
  const raw = without(common(set, ascii), unsafe);
  const wide = without(set, ascii);
  if (sizeOf(wide) > fewCharacters) return `[^${classBody(without(ascii, raw))}]`;
  const escaped = sizeOf(set) > fewCharacters ? [] : members(common(set, unsafe));
  const choices = [
    ...(raw.length > 0 ? [`[${classBody(raw)}]`] : []),
    ...members(wide).map((point) => String.fromCodePoint(point)),
    ...escaped.flatMap((point) => escapes.get(point) ?? []),
  ];
  // A choice of nothing is an error to XGrammar: U+0000 stands for what cannot match.
  if (choices.length === 0) return "\\x00";
  return choices.length === 1 && raw.length > 0 ? (choices[0] ?? "") : `(${choices.join("|")})`;
}

/**
 * A regular expression over the text between the quotes of a JSON string, from one over its value. XGrammar matches
 * patterns against raw JSON text, and its classes know ASCII and "all the rest" only. So what admits any character
 * admits those that may stand raw, what names a quote, a backslash or a control character admits its escape, and
 * classes are written in ASCII. Matches less than `pattern` where a large class would admit an escape among others,
 * and more only where one excludes some characters past ASCII.
 */
export function jsonSafePattern(pattern: string): string {
  return pattern.replace(atoms, (atom) => {
    if (syntax.test(atom) || /^[\w -]$/.test(atom)) return atom;
    if (atom === ".") return expression(complement(namedSets.lineEnd));
    if (atom.startsWith("[") && atom.length > 1) return expression(classSet(atom.slice(1, -1)));
    return expression(setOf(atom));
  });
}
