import { loadConfig } from "../config/load-config.ts";
import { exitStatus } from "../errors.ts";
import { endWhenAsked } from "../serve/end-when-asked.ts";
import type { ReadyMessage } from "../serve/spawn-server.ts";
import { addConfigOptions, readConfigSources } from "./config-options.ts";
import type { DefineCommand } from "./define-command.ts";

/** Milliseconds that running responses get to finish. */
const drainMs = 5_000;

export const define: DefineCommand = (command, context, done) => {
  addConfigOptions(command).action(async () => {
    const wish = endWhenAsked(process, () => performance.now());
    const stopping = new AbortController();
    void wish.asked.then(() => stopping.abort());
    // Engine children end with this process, however it ends.
    wish.urgent.addEventListener("abort", () => process.exit(exitStatus.interrupted));
    try {
      const { config } = await loadConfig(readConfigSources(command), context.host);
      const { startServer } = await import("../serve/start-server.ts");
      const server = await startServer(config, context.host, {
        signal: stopping.signal,
        note: (text) => context.note(`${text}\n`),
      });
      context.out(`slipstream listening on ${server.root}/v1 (${server.modelId})\n`);
      process.send?.({ type: "ready", root: server.root } satisfies ReadyMessage);
      await wish.asked;
      await server.close(drainMs);
      done(0);
    } finally {
      wish.stop();
    }
  });
};
