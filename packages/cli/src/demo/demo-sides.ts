import type { HarnessTechniques } from "@slipstream-stack/harness";
import { flagOf } from "../config/config-keys.ts";

/** One side of the comparison: what its server and its harness leave out. */
export interface DemoSide {
  readonly id: "nothing_kept" | "usual" | "slipstream";
  readonly title: string;
  /** Arguments of `slipstream serve`, besides model and trajectory. */
  readonly serveArguments: readonly string[];
  readonly transport: "http" | "websocket";
  readonly techniques: HarnessTechniques;
  /** Whether connections are kept open between requests. */
  readonly keepAlive: boolean;
}

const off = (...techniques: readonly string[]): string[] =>
  techniques.flatMap((technique) => [flagOf(`techniques.${technique}`), "false"]);

const statelessServer = ["chain", "lineage", "incremental_render", "incremental_tokenize"];
const plainHarness: HarnessTechniques = {
  websocket: false,
  delta: false,
  prewarm: false,
  settings_inheritance: false,
};
const fullHarness: HarnessTechniques = {
  websocket: true,
  delta: true,
  prewarm: true,
  settings_inheritance: true,
};

/** The three sides, in the order they run: all on the same engine, model and trajectory. */
export const demoSides: readonly DemoSide[] = [
  {
    id: "nothing_kept",
    title: "nothing kept: HTTP, full resend, no reuse",
    serveArguments: off(...statelessServer, "prefix_reuse"),
    transport: "http",
    techniques: plainHarness,
    keepAlive: false,
  },
  {
    id: "usual",
    title: "usual: HTTP keep-alive, full resend, the engine reuses prefixes",
    serveArguments: off(...statelessServer),
    transport: "http",
    techniques: plainHarness,
    keepAlive: true,
  },
  {
    id: "slipstream",
    title: "Slipstream: one WebSocket, deltas, kept chains, prefix reuse",
    serveArguments: [],
    transport: "websocket",
    techniques: fullHarness,
    keepAlive: true,
  },
];
