import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Counts, capture, type StageResult, sumCounts } from "./stage.ts";

/** Test files that run in one process (`none`) or one process each (`process`). */
export interface TestGroup {
  readonly files: readonly string[];
  readonly isolation: "none" | "process";
  readonly concurrency: number;
  readonly timeoutMs: number;
  /** A program the run is wrapped in, such as one that takes a lock. */
  readonly wrap?: readonly string[];
}

const runner = fileURLToPath(new URL("run-test-files.ts", import.meta.url));

/** Files below `root` that a glob matches, sorted, without those that an exclusion ends with. */
export function findTestFiles(
  root: string,
  patterns: readonly string[],
  exclude: readonly string[] = [],
): string[] {
  return globSync([...patterns], { cwd: root, exclude: (path) => path.includes("node_modules") })
    .filter((file) => !exclude.some((ending) => file.endsWith(ending)))
    .sort();
}

/** Runs one group. A group that could not report its counts has failed. */
export async function runTestGroup(root: string, group: TestGroup): Promise<StageResult> {
  if (group.files.length === 0) return { ok: true, output: "", counts: { passed: 0, failed: 0, skipped: 0 } };
  const folder = mkdtempSync(join(tmpdir(), "slipstream-counts-"));
  try {
    const countsFile = join(folder, "counts.json");
    const command = [
      ...(group.wrap ?? []),
      process.execPath,
      "--disable-warning=ExperimentalWarning",
      "--expose-gc",
      runner,
      countsFile,
      group.isolation,
      String(group.concurrency),
      ...group.files,
    ];
    const [program = process.execPath, ...programArguments] = command;
    const { code, output } = await capture(program, programArguments, {
      cwd: root,
      timeoutMs: group.timeoutMs,
      env: testEnvironment(folder),
    });
    const report = readReport(countsFile);
    if (report === null) return { ok: false, output, counts: { passed: 0, failed: 1, skipped: 0 } };
    const { counts, slow } = report;
    const notes = slow.map(([file, ms]) => `     slow: ${(ms / 1000).toFixed(1)} s in ${file}`);
    return { ok: code === 0 && counts.failed === 0, output, counts, notes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The user's own configuration and state are none of a test's business; the models in the cache are shared. */
function testEnvironment(folder: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_STATE_HOME: join(folder, "state"),
    // Set where this runs inside a test of its own: the runner would refuse to run tests inside tests.
    NODE_TEST_CONTEXT: undefined,
  };
}

/** Runs groups, at most `width` at a time and the largest first, and adds them up. */
export async function runTestGroups(
  root: string,
  groups: readonly TestGroup[],
  width: number,
): Promise<StageResult> {
  const waiting = groups.toSorted((left, right) => right.files.length - left.files.length);
  const results: StageResult[] = [];
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      results.push(await runTestGroup(root, group));
    }
  };
  await Promise.all(Array.from({ length: width }, work));
  return {
    ok: results.every((result) => result.ok),
    output: results.map((result) => result.output).join(""),
    counts: sumCounts(results.map((result) => result.counts)),
    notes: results.flatMap((result) => result.notes ?? []),
  };
}

/** What `run-test-files.ts` leaves behind. */
interface Report {
  readonly counts: Counts;
  /** File and milliseconds. */
  readonly slow: readonly (readonly [string, number])[];
}

function readReport(file: string): Report | null {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return null;
  }
}
