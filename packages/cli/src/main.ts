import { runProgram } from "./program.ts";
import { currentContext } from "./terminal/command-context.ts";

process.exitCode = await runProgram(process.argv.slice(2), currentContext());
