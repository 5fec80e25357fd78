import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CheckOptions, runCheckStages } from "./check.ts";
import { capture, formatCounts, runStage, type Stage, sumCounts } from "./stage.ts";
import { findTestFiles, runTestGroup } from "./test-group.ts";

const embeddedModel = "smollm2-135m-instruct";
const pullTimeoutMs = 600_000;
const engineTimeoutMs = 900_000;

/** The embedded model is pulled as a user would pull it, so that no test has to. */
function modelStage(root: string): Stage {
  return {
    name: "model",
    async run() {
      const command = [join(root, "packages/cli/bin/slipstream.mjs"), "models", "pull", embeddedModel];
      const { code, output } = await capture(process.execPath, command, {
        cwd: root,
        timeoutMs: pullTimeoutMs,
      });
      const path = new RegExp(`^${embeddedModel} (.+)$`, "m").exec(output)?.[1];
      // Engine tests of packages that do not know the cache folder read it from here.
      if (path !== undefined) process.env.SLIPSTREAM_TEST_MODEL ??= path;
      return { ok: code === 0 && path !== undefined, output };
    },
  };
}

/** Tests that load a model: one process at a time, and one such run on the machine. */
function engineStage(root: string, name: string, patterns: readonly string[]): Stage {
  return {
    name,
    run() {
      const files = findTestFiles(root, patterns);
      return runTestGroup(root, {
        files,
        isolation: "process",
        concurrency: 1,
        timeoutMs: engineTimeoutMs,
        wrap: engineLock(),
      });
    },
  };
}

/** `flock` frees its lock when the process dies, whatever killed it. Where it is missing the run is not locked. */
function engineLock(): readonly string[] {
  const probe = spawnSync("flock", ["--version"], { stdio: "ignore" });
  return probe.status === 0 ? ["flock", join(tmpdir(), "slipstream-engine.lock")] : [];
}

/** `npm test`: check, integration, end-to-end; 0 when all is green. In CI a skipped test is a failure. */
export async function runAllTests(root: string, options: CheckOptions): Promise<number> {
  const start = performance.now();
  const finished = await runCheckStages(root, options);
  const engineStages = [
    engineStage(root, "integration", [
      "packages/**/*.engine.test.ts",
      "test/conformance/**/*.test.ts",
      "test/integration/**/*.test.ts",
    ]),
    engineStage(root, "end-to-end", ["test/e2e/**/*.test.ts"]),
  ].filter(({ name }) => options.only.length === 0 || options.only.includes(name));
  for (const stage of engineStages.length === 0 ? [] : [modelStage(root), ...engineStages]) {
    finished.push(await runStage(stage, console.log));
  }
  const counts = sumCounts(finished.map((stage) => stage.counts));
  const skippedInCi = process.env.CI !== undefined && counts.skipped > 0;
  if (skippedInCi) console.log("FAIL nothing may be skipped in CI");
  console.log(`total ${((performance.now() - start) / 1000).toFixed(1)} s`);
  console.log(formatCounts(counts));
  return finished.every(({ ok }) => ok) && !skippedInCi ? 0 : 1;
}
