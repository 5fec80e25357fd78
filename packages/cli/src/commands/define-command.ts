import type { Command } from "commander";
import type { CommandContext } from "../terminal/command-context.ts";

/** Adds a command's arguments, options and action. The action's result is the exit status. */
export type DefineCommand = (
  command: Command,
  context: CommandContext,
  done: (status: number) => void,
) => void;
