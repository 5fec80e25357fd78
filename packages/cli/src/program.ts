import { Command, CommanderError } from "commander";
import type { DefineCommand } from "./commands/define-command.ts";
import { CliError, exitStatus } from "./errors.ts";
import { foreignStatus } from "./foreign-errors.ts";
import type { CommandContext } from "./terminal/command-context.ts";

interface LazyCommand {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<{ readonly define: DefineCommand }>;
}

/** Each command's module is loaded only when it is called, so that starting costs what the command needs. */
const commands: readonly LazyCommand[] = [
  {
    name: "demo",
    summary: "run the scripted coding task on three sides and compare",
    load: () => import("./commands/demo.ts"),
  },
  { name: "serve", summary: "start the Responses API server", load: () => import("./commands/serve.ts") },
  { name: "exec", summary: "do one task without asking", load: () => import("./commands/exec.ts") },
  { name: "run", summary: "work with the agent line by line", load: () => import("./commands/run.ts") },
  {
    name: "models",
    summary: "list, pull, add, remove and show models",
    load: () => import("./commands/models.ts"),
  },
  {
    name: "explain",
    summary: "print the lap record of a response",
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "codex-config",
    summary: "print the provider block for Codex",
    load: () => import("./commands/codex-config.ts"),
  },
  {
    name: "doctor",
    summary: "say what is wrong on this machine and what to do",
    load: () => import("./commands/doctor.ts"),
  },
  {
    name: "config",
    summary: "print the configuration and where it comes from",
    load: () => import("./commands/config.ts"),
  },
];

/** Runs one command line (without program names) and returns the exit status. */
export async function runProgram(
  programArguments: readonly string[],
  context: CommandContext,
): Promise<number> {
  let status = 0;
  const program = new Command("slipstream")
    .description("An open agent stack: harness, Responses API server and inference.")
    .version("0.1.0")
    .exitOverride()
    .configureOutput({ writeOut: context.out, writeErr: context.note });
  const called = programArguments.find((argument) => !argument.startsWith("-"));
  for (const { name, summary, load } of commands) {
    const command = program.command(name).description(summary).exitOverride().copyInheritedSettings(program);
    if (name === called) (await load()).define(command, context, (result) => (status = result));
  }
  try {
    await program.parseAsync([...programArguments], { from: "user" });
    return status;
  } catch (error) {
    return reportError(error, context);
  }
}

/** Says what went wrong in one line (two with advice) and gives the exit status. */
export function reportError(error: unknown, context: CommandContext): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitStatus.usage;
  if (CliError.isInstance(error)) {
    context.note(`slipstream: ${error.message} [${error.code}]\n`);
    return error.exitStatus;
  }
  if (error instanceof Error && error.name === "AbortError") {
    context.note("slipstream: interrupted\n");
    return exitStatus.interrupted;
  }
  const foreign = foreignStatus(error);
  if (foreign !== null) {
    const { message, code } = error as Error & { code: string };
    context.note(`slipstream: ${message} [${code}]\n`);
    return foreign;
  }
  context.note(
    `slipstream: internal error, please report it\n${error instanceof Error ? error.stack : String(error)}\n`,
  );
  return exitStatus.internal;
}
