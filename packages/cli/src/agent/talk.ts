import { createInterface } from "node:readline";
import type { Agent } from "@slipstream-stack/harness";
import { type EventPrinter, printForPerson } from "./print-events.ts";

/** Where a talk takes its lines from. */
export interface TalkTerminal extends EventPrinter {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  /** Where `SIGINT` arrives: the process. */
  readonly signals: Pick<NodeJS.EventEmitter, "on" | "off">;
}

/**
 * Reads tasks line by line and runs each as a turn. Ctrl-C stops the turn that runs; at the prompt, or a second
 * time in one turn, it ends the talk, as does the end of the input.
 */
export async function talk(agent: Agent, terminal: TalkTerminal): Promise<void> {
  const lines = createInterface({ input: terminal.input, output: terminal.output, prompt: "> " });
  const print = printForPerson(terminal);
  let turn: AbortController | null = null;
  const interrupt = (): void => {
    if (turn === null || turn.signal.aborted) lines.close();
    turn?.abort();
  };
  let closed = false;
  const prompt = (): void => {
    if (!closed) lines.prompt();
  };
  lines.once("close", () => {
    closed = true;
  });
  lines.on("SIGINT", interrupt);
  terminal.signals.on("SIGINT", interrupt);
  try {
    prompt();
    for await (const line of lines) {
      if (line.trim() !== "") {
        turn = new AbortController();
        await agent.run(line, turn.signal, print);
        turn = null;
      }
      prompt();
    }
  } finally {
    terminal.signals.off("SIGINT", interrupt);
    lines.close();
  }
}
