#!/usr/bin/env node
// Runs on any Node >= 20: finds Node 24 and hands over to src/main.ts, in this process when it already is one.
import { spawn } from "node:child_process";
import module from "node:module";
import { fileURLToPath } from "node:url";
import { endWithLauncher } from "./launch/end-with-launcher.mjs";
import { findNode } from "./launch/find-node.mjs";
import { forwardSignals } from "./launch/forward-signals.mjs";
import { SetupError } from "./launch/setup-error.mjs";

const here = fileURLToPath(import.meta.url);

try {
  const node = findNode(fileURLToPath(new URL(".", import.meta.url)));
  if (node === process.execPath) {
    endWithLauncher(process);
    module.enableCompileCache?.();
    await import("../src/main.ts");
  } else {
    const flags = ["--disable-warning=ExperimentalWarning"];
    process.exitCode = await forwardSignals(
      spawn(node, [...flags, here, ...process.argv.slice(2)], {
        stdio: ["inherit", "inherit", "inherit", "ipc"],
      }),
    );
  }
} catch (error) {
  if (!(error instanceof SetupError)) throw error;
  console.error(`slipstream: ${error.message}`);
  process.exitCode = 3;
}
