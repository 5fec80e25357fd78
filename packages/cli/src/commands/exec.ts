import { addAgentOptions, readAgentFlags } from "../agent/agent-flags.ts";
import { openAgent } from "../agent/open-agent.ts";
import { outcomeStatus } from "../agent/outcome-status.ts";
import { printForPerson, printJson } from "../agent/print-events.ts";
import { loadConfig } from "../config/load-config.ts";
import { CliError } from "../errors.ts";
import { addConfigOptions, readConfigSources } from "./config-options.ts";
import type { DefineCommand } from "./define-command.ts";

export const define: DefineCommand = (command, context, done) => {
  addAgentOptions(addConfigOptions(command))
    .argument("<task>", "what to do")
    .option("--json", "print every event as one line of JSON")
    .action(async (task: string, options: { json?: boolean }) => {
      if (task.trim() === "") throw new CliError("usage_invalid", "The task is empty. Say what to do.");
      const signal = context.interrupt();
      const sources = readConfigSources(command);
      const loaded = await loadConfig(sources, context.host);
      const flags = readAgentFlags(command);
      const { agent, close } = await openAgent({ flags, sources, loaded, host: context.host, signal });
      try {
        const print = options.json === true ? printJson(context) : printForPerson(context);
        const outcome = await agent.run(task, signal, print);
        if (agent.sessionId !== null) context.note(`session ${agent.sessionId}\n`);
        done(outcomeStatus(outcome));
      } finally {
        await close();
      }
    });
};
