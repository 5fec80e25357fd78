import { parentPort, workerData } from "node:worker_threads";
import type { ConstraintMessage, ConstraintSetup } from "./constraint-message.ts";
import { ConstraintServer } from "./constraint-server.ts";
import { loadXGrammar } from "./xgrammar-library.ts";

const server = new ConstraintServer(workerData as ConstraintSetup, loadXGrammar());
parentPort?.on("message", (message: ConstraintMessage) => server.receive(message));
