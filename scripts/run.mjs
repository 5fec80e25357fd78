// The one entry of every npm script. Runs on any Node >= 20 with nothing installed, brings the checkout to the
// state of its lock file, finds Node 24 and hands over to scripts/tasks/main.ts.
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { findNode } from "../packages/cli/bin/launch/find-node.mjs";
import { forwardSignals } from "../packages/cli/bin/launch/forward-signals.mjs";
import { SetupError } from "../packages/cli/bin/launch/setup-error.mjs";
import { ensureInstalled } from "./bootstrap/ensure-installed.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

try {
  await ensureInstalled(root);
  const node = findNode(root);
  const main = fileURLToPath(new URL("tasks/main.ts", import.meta.url));
  const child = spawn(node, ["--disable-warning=ExperimentalWarning", main, ...process.argv.slice(2)], {
    cwd: root,
    stdio: "inherit",
  });
  process.exitCode = await forwardSignals(child);
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`slipstream: ${error.message}`);
  process.exitCode = 3;
}
