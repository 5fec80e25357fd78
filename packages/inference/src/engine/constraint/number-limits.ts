import type { JsonObject, JsonValue } from "@slipstream-stack/protocol";

/** The range of a number, by one place of a schema. */
export interface NumberLimits {
  readonly min: number;
  readonly max: number;
  /** `min` itself is out. */
  readonly above: boolean;
  /** `max` itself is out. */
  readonly below: boolean;
  readonly integer: boolean;
}

function numberOr(value: JsonValue | undefined, other: number): number {
  return typeof value === "number" ? value : other;
}

/** The limits a schema sets to numbers; an integer's are whole and included. */
export function numberLimits(schema: JsonObject): NumberLimits {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, type } = schema;
  const [floor, over] = [numberOr(minimum, -Infinity), numberOr(exclusiveMinimum, -Infinity)];
  const [ceiling, under] = [numberOr(maximum, Infinity), numberOr(exclusiveMaximum, Infinity)];
  if (type === "integer") {
    const min = Math.max(Math.ceil(floor), Math.floor(over) + 1);
    const max = Math.min(Math.floor(ceiling), Math.ceil(under) - 1);
    return { min, max, above: false, below: false, integer: true };
  }
  const [min, max] = [Math.max(floor, over), Math.min(ceiling, under)];
  const [above, below] = [over >= floor && over > -Infinity, under <= ceiling && under < Infinity];
  return { min, max, above, below, integer: false };
}

/** Whether the limits exclude any number at all. */
export function limitsNumbers({ min, max }: NumberLimits): boolean {
  return min > -Infinity || max < Infinity;
}

/** Whether no number is within the limits. */
export function isEmptyRange({ min, max, above, below }: NumberLimits): boolean {
  return min > max || (min === max && (above || below));
}

/** What both limits allow. */
export function bothNumberLimits(left: NumberLimits, right: NumberLimits): NumberLimits {
  const [min, max] = [Math.max(left.min, right.min), Math.min(left.max, right.max)];
  return {
    min,
    max,
    above: [left, right].some((one) => one.above && one.min === min),
    below: [left, right].some((one) => one.below && one.max === max),
    integer: left.integer && right.integer,
  };
}

/** Whether the number written as `text` is within the limits. */
export function numberFits(text: string, { min, max, above, below }: NumberLimits): boolean {
  const value = Number(text);
  return (above ? value > min : value >= min) && (below ? value < max : value <= max);
}

/** Whether limits hold a value whose magnitude is from `from` up to but not including `to`. */
function reaches(from: number, to: number, negative: boolean, limits: NumberLimits): boolean {
  const { min, max, above, below, integer } = limits;
  const last = integer ? to - 1 : to;
  const [near, far] = negative ? [-from, -last] : [from, last];
  if (negative) return (above ? near > min : near >= min) && (integer ? far <= max : far < max);
  return (below ? near < max : near <= max) && (integer ? far >= min : far > min);
}

/** Decimal places a magnitude may still grow by: past them no limit that a double holds is met. */
const mostPlaces = 309;

/**
 * Whether some number that starts with `text` and has no exponent is within the limits. Every way to go on from a
 * text that can fit has a next character that can fit again, up to a number that fits.
 */
export function numberCanFit(text: string, limits: NumberLimits): boolean {
  if (/e/i.test(text)) return false;
  const negative = text.startsWith("-");
  const digits = negative ? text.slice(1) : text;
  if (digits === "") return reaches(0, Infinity, negative, limits);
  const point = digits.indexOf(".");
  if (point >= 0) {
    const from = Number(digits);
    return reaches(from, from + 10 ** (point + 1 - digits.length), negative, limits);
  }
  const from = Number(digits);
  if (reaches(from, from + 1, negative, limits)) return true;
  for (let places = 1; from > 0 && places < mostPlaces; places += 1) {
    const scale = 10 ** places;
    if (reaches(from * scale, (from + 1) * scale, negative, limits)) return true;
    if (from * scale > Math.max(Math.abs(limits.min), Math.abs(limits.max))) return false;
  }
  return false;
}
