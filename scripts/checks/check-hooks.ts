import { isTest, type SourceFile } from "./source-file.ts";

/** Files of these run in a process of their own. */
const isolated = /\.engine\.test\.ts$|^test\//;

/**
 * Unit tests of a package share one process, where a file's top-level `beforeEach` would run before the tests of
 * every other file: such hooks belong inside `describe`.
 */
export function checkHooks(files: readonly SourceFile[]): string[] {
  return files
    .filter(({ path, text }) => isTest(path) && !isolated.test(path) && /^(?:before|after)Each\(/m.test(text))
    .map(
      ({ path }) =>
        `${path}: beforeEach and afterEach at the top level reach other files: put them inside describe`,
    );
}
