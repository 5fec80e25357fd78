import { parentPort, workerData } from "node:worker_threads";
import type { ConstraintMessage, ConstraintSetup } from "./constraint-message.ts";
import { ConstraintServer } from "./constraint-server.ts";
import { SharedHealth } from "./shared-health.ts";
import { loadXGrammar } from "./xgrammar-library.ts";

const setup = workerData as ConstraintSetup;
try {
  const server = new ConstraintServer(setup, loadXGrammar());
  parentPort?.on("message", (message: ConstraintMessage) => server.receive(message));
} catch (error) {
  // The host may not turn its event loop, so an uncaught error would not reach it.
  const health = new SharedHealth(setup.health);
  health.reason.set(error instanceof Error ? error.message : String(error));
  health.worsen("poisoned");
}
