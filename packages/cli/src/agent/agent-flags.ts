import { type Command, Option } from "commander";
import { type AgentFlags, readMaxLaps } from "./agent-settings.ts";

/** Options that `exec` and `run` share, beside those of the configuration. */
export function addAgentOptions(command: Command): Command {
  return command
    .option("--base-url <url>", "server to use; without it one is started and ended")
    .option("--workspace <folder>", "folder the agent works in (the current one)")
    .addOption(
      new Option("--sandbox <kind>", "what commands run in; none lets them do what you may do")
        .choices(["auto", "bubblewrap", "none"])
        .default("auto"),
    )
    .option("--network", "let commands reach the network")
    .addOption(
      new Option("--transport <kind>", "how to talk to the server")
        .choices(["auto", "http", "websocket"])
        .default("auto"),
    )
    .option("--max-laps <count>", "model requests a turn may make")
    .option("--resume <id>", "go on with a session")
    .option("--ephemeral", "keep no session");
}

/** The options as given. */
export function readAgentFlags(command: Command): AgentFlags {
  const options = command.opts<{
    baseUrl?: string;
    workspace?: string;
    sandbox: AgentFlags["sandbox"];
    network?: boolean;
    transport: AgentFlags["transport"];
    maxLaps?: string;
    resume?: string;
    ephemeral?: boolean;
  }>();
  return {
    baseUrl: options.baseUrl ?? null,
    workspace: options.workspace ?? null,
    sandbox: options.sandbox,
    network: options.network === true,
    transport: options.transport,
    maxLaps: readMaxLaps(options.maxLaps),
    resume: options.resume ?? null,
    ephemeral: options.ephemeral === true,
  };
}
