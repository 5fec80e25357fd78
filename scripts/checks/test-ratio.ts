import { isCode, isTest, type SourceFile } from "./source-file.ts";

/** Helpers that only tests use count as neither. */
const helper = /\/testing\/|\/test-[^/]+\.ts$/;

/** Lines of test per line of source, by package: `1.2 to 2 is the goal` (reported, not judged). */
export function testRatio(files: readonly SourceFile[]): string {
  const lines = new Map<string, { source: number; test: number }>();
  for (const { path, text } of files.filter((file) => isCode(file.path) && !helper.test(file.path))) {
    const owner = /^packages\/([^/]+)\//.exec(path)?.[1] ?? path.split("/")[0] ?? "";
    const count = lines.get(owner) ?? { source: 0, test: 0 };
    count[isTest(path) ? "test" : "source"] += text.split("\n").length - 1;
    lines.set(owner, count);
  }
  const all = [...lines.values()];
  const total = ratio(sum(all.map(({ test }) => test)), sum(all.map(({ source }) => source)));
  const parts = [...lines]
    .filter(([, { source }]) => source > 0)
    .map(([owner, { source, test }]) => `${owner} ${ratio(test, source)}`);
  return `     test lines per source line ${total} (${parts.sort().join(", ")})`;
}

function ratio(test: number, source: number): string {
  return source === 0 ? "-" : (test / source).toFixed(2);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
