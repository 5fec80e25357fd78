/** One text file of the repository; `path` is relative to the root with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const codeEnding = /\.(?:ts|mts|mjs|js)$/;

/** Whether a path holds program text (fixtures are data). */
export function isCode(path: string): boolean {
  return codeEnding.test(path) && !path.includes("/fixtures/");
}

/** Whether a path holds tests or types of tests. */
export function isTest(path: string): boolean {
  return /\.test(?:-d)?\.(?:ts|mjs)$/.test(path) || path.startsWith("test/");
}
