import { parentPort } from "node:worker_threads";
import type { StoreCallMessage } from "./protocol.ts";
import { StoreService } from "./store-service.ts";

const port = parentPort;
if (port === null) throw new Error("sqlite-worker.ts runs as a worker thread only.");
const service = new StoreService((message) => port.postMessage(message));
port.on("message", (message: StoreCallMessage) => service.receive(message));
