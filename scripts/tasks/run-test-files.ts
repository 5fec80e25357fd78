// Runs test files with node:test and prints failures only. Started as a process of its own by `test-group.ts`;
// the counts go to the file named first, everything else to standard output.
import { writeFileSync } from "node:fs";
import { relative } from "node:path";
import { run } from "node:test";
import { inspect } from "node:util";

const [countsFile, isolation, concurrency, ...files] = process.argv.slice(2);

/** Files that take longer are named, so that the whole stays quick. */
const slowMs = 3000;

function describe(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? (cause.stack ?? cause.message) : inspect(cause);
}

const stream = run({
  files,
  isolation: isolation === "none" ? "none" : "process",
  ...(isolation === "none" ? {} : { concurrency: Number(concurrency) }),
});
const spent = new Map<string, number>();
for await (const event of stream) {
  if ((event.type === "test:pass" || event.type === "test:fail") && event.data.nesting === 0) {
    const name = relative(process.cwd(), event.data.file ?? event.data.name);
    spent.set(name, (spent.get(name) ?? 0) + event.data.details.duration_ms);
  }
  if (event.type === "test:fail" && event.data.details.type !== "suite") {
    const { name, file, line } = event.data;
    const place = file === undefined ? "" : ` (${relative(process.cwd(), file)}:${line ?? 0})`;
    console.log(`\nnot ok: ${name}${place}\n${describe(event.data.details.error)}`);
  }
  if (event.type === "test:stdout" || event.type === "test:stderr") process.stdout.write(event.data.message);
  if (event.type === "test:summary" && event.data.file === undefined && countsFile !== undefined) {
    const { passed, failed, skipped, cancelled, todo } = event.data.counts;
    writeFileSync(
      countsFile,
      JSON.stringify({
        counts: { passed, failed: failed + cancelled, skipped: skipped + todo },
        slow: [...spent].filter(([, ms]) => ms >= slowMs),
      }),
    );
    process.exitCode = event.data.success ? 0 : 1;
  }
}
