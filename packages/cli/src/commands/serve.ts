import { loadConfig } from "../config/load-config.ts";
import type { DefineCommand } from "../program.ts";
import { endWhenAsked } from "../serve/end-when-asked.ts";
import type { ReadyMessage } from "../serve/spawn-server.ts";
import { addConfigOptions, readConfigSources } from "./config-options.ts";

/** Milliseconds that running responses get to finish. */
const drainMs = 5_000;

export const define: DefineCommand = (command, context, done) => {
  addConfigOptions(command).action(async () => {
    const { asked, urgent } = endWhenAsked(process);
    const { config } = await loadConfig(readConfigSources(command), context.host);
    const { startServer } = await import("../serve/start-server.ts");
    const starting = startServer(config, context.host);
    const first = await Promise.race([starting, asked]);
    const server = typeof first === "string" ? await starting : first;
    if (typeof first !== "string") {
      context.out(`slipstream listening on ${server.root}/v1 (${server.modelId})\n`);
      process.send?.({ type: "ready", root: server.root } satisfies ReadyMessage);
      await asked;
    }
    await server.close(urgent.aborted ? 0 : drainMs);
    // A listener on the channel keeps the process alive.
    if (process.connected) process.disconnect();
    done(0);
  });
};
