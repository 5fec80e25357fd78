import { isCode, isTest, type SourceFile } from "./source-file.ts";

/** Lines that no file passes without a reason in the list of exceptions; tables of cases may be longer. */
const sourceLimit = 400;
const testLimit = 600;
const medianLimit = 100;

/** Path to reason, from `length-exceptions.json`. */
export type LengthExceptions = Readonly<Record<string, string>>;

/** Files over the limit, exceptions that are no longer needed, and a median of the sources that is too high. */
export function checkLengths(files: readonly SourceFile[], exceptions: LengthExceptions): string[] {
  const problems: string[] = [];
  const sourceLengths: number[] = [];
  const tooLong = new Set<string>();
  for (const { path, text } of files.filter((file) => isCode(file.path))) {
    const lines = countLines(text);
    const limit = isTest(path) ? testLimit : sourceLimit;
    if (!isTest(path)) sourceLengths.push(lines);
    if (lines <= limit) continue;
    tooLong.add(path);
    if (exceptions[path] === undefined)
      problems.push(`${path}: ${lines} lines, the limit is ${limit}: cut it by concept`);
  }
  for (const path of Object.keys(exceptions)) {
    if (!tooLong.has(path))
      problems.push(`scripts/checks/length-exceptions.json: ${path} no longer needs its exception`);
  }
  const middle = median(sourceLengths);
  if (middle >= medianLimit)
    problems.push(`median length of sources is ${middle} lines, must stay under ${medianLimit}`);
  return problems;
}

function countLines(text: string): number {
  return text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
