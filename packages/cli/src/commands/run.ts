import { addAgentOptions, readAgentFlags } from "../agent/agent-flags.ts";
import { openAgent } from "../agent/open-agent.ts";
import { talk } from "../agent/talk.ts";
import { loadConfig } from "../config/load-config.ts";
import { addConfigOptions, readConfigSources } from "./config-options.ts";
import type { DefineCommand } from "./define-command.ts";

export const define: DefineCommand = (command, context, done) => {
  addAgentOptions(addConfigOptions(command)).action(async () => {
    const sources = readConfigSources(command);
    const loaded = await loadConfig(sources, context.host);
    const flags = readAgentFlags(command);
    const starting = new AbortController();
    const stop = (): void => starting.abort();
    process.once("SIGINT", stop);
    const request = { flags, sources, loaded, host: context.host, signal: starting.signal };
    const { agent, close } = await openAgent(request);
    process.off("SIGINT", stop);
    try {
      await agent.start();
      const { out, note } = context;
      await talk(agent, { input: process.stdin, output: process.stderr, signals: process, out, note });
      if (agent.sessionId !== null) context.note(`session ${agent.sessionId}\n`);
      done(0);
    } finally {
      await close();
    }
  });
};
