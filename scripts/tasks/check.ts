import { readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { checkRepository } from "../checks/check-repository.ts";
import { capture, type FinishedStage, formatCounts, runStage, type Stage, sumCounts } from "./stage.ts";
import { findTestFiles, runTestGroups, type TestGroup } from "./test-group.ts";

/** What to run: all steps when `only` is empty. */
export interface CheckOptions {
  readonly only: readonly string[];
  readonly isolated: boolean;
}

const toolTimeoutMs = 180_000;
const unitTimeoutMs = 300_000;

function toolStage(root: string, name: string, script: string, toolArguments: readonly string[]): Stage {
  return {
    name,
    async run() {
      const command = [join(root, "node_modules", script), ...toolArguments];
      const { code, output } = await capture(process.execPath, command, {
        cwd: root,
        timeoutMs: toolTimeoutMs,
      });
      return { ok: code === 0, output };
    },
  };
}

/** Unit tests of one package share one process: a process per file would cost more than the tests do. */
function unitStage(root: string, isolated: boolean): Stage {
  return {
    name: "unit",
    run() {
      const folders = readdirSync(join(root, "packages")).map((name) => `packages/${name}`);
      const groups = [...folders, "scripts", "bench"].map((folder): TestGroup => {
        const files = findTestFiles(root, [`${folder}/**/*.test.{ts,mjs}`], [".engine.test.ts"]);
        const isolation = isolated ? "process" : "none";
        return { files, isolation, concurrency: 2, timeoutMs: unitTimeoutMs };
      });
      return runTestGroups(root, groups, isolated ? 1 : availableParallelism());
    },
  };
}

/** The steps of `npm run check`, in two waves: tools side by side, then unit tests with the machine to themselves. */
function checkStages(root: string, isolated: boolean): readonly (readonly Stage[])[] {
  const repository: Stage = {
    name: "repository",
    async run() {
      const { problems, notes } = checkRepository(root);
      return { ok: problems.length === 0, output: problems.join("\n"), notes };
    },
  };
  const tools = [
    toolStage(root, "format+lint", "@biomejs/biome/bin/biome", ["check", "--error-on-warnings", "."]),
    toolStage(root, "types", "typescript/bin/tsc", ["-b"]),
    toolStage(root, "dead exports", "knip/bin/knip.js", ["--no-progress", "--no-config-hints"]),
    repository,
  ];
  return [tools, [unitStage(root, isolated)]];
}

/** Runs the steps, each with a line and its time. */
export async function runCheckStages(root: string, options: CheckOptions): Promise<FinishedStage[]> {
  const finished: FinishedStage[] = [];
  for (const wave of checkStages(root, options.isolated)) {
    const chosen = wave.filter(({ name }) => options.only.length === 0 || options.only.includes(name));
    finished.push(...(await Promise.all(chosen.map((stage) => runStage(stage, console.log)))));
  }
  return finished;
}

/** `npm run check`: 0 when every step is green, else 1. */
export async function runCheck(root: string, options: CheckOptions): Promise<number> {
  const finished = await runCheckStages(root, options);
  console.log(formatCounts(sumCounts(finished.map(({ counts }) => counts))));
  return finished.every(({ ok }) => ok) ? 0 : 1;
}
