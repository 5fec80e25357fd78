import { parentPort, workerData } from "node:worker_threads";
import type { SearchQuery } from "./searcher.ts";
import { walk } from "./walk.ts";
import type { WalkerAnswer } from "./walker-search.ts";

const { query, workspace } = workerData as { query: SearchQuery; workspace: string };

function answer(): WalkerAnswer {
  try {
    return { kind: "matches", matches: walk(query, workspace) };
  } catch (error) {
    return { kind: "invalid", message: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.postMessage(answer());
