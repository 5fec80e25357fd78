import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { checkArrows } from "./check-arrows.ts";
import { checkContents } from "./check-contents.ts";
import { checkDecisions } from "./check-decisions.ts";
import { checkHooks } from "./check-hooks.ts";
import { checkLengths, type LengthExceptions } from "./check-lengths.ts";
import { checkLock, type LockFile } from "./check-lock.ts";
import { readRepository } from "./read-repository.ts";
import { testRatio } from "./test-ratio.ts";

/** What was found in a repository. */
export interface RepositoryReport {
  /** One line per problem, none when all is well. */
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

/** Everything about the repository that no general tool checks. */
export function checkRepository(root: string): RepositoryReport {
  const files = readRepository(root);
  const here = resolve(root);
  const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));
  const problems = [
    ...checkLengths(files, readJson("scripts/checks/length-exceptions.json") as LengthExceptions),
    ...checkArrows(files),
    ...checkHooks(files),
    ...checkLock(
      readJson("package-lock.json") as LockFile,
      readJson("scripts/checks/install-scripts.json") as Record<string, string>,
    ),
    ...checkDecisions(files),
    ...checkContents(files, [here, join(dirname(here), "shared")]),
  ];
  return { problems, notes: [testRatio(files)] };
}
