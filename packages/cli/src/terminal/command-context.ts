import { exitStatus } from "../errors.ts";
import { currentHost, type Host } from "../host/host.ts";
import { listenForStops } from "./stop-signals.ts";
import { watchOutput } from "./watch-output.ts";

/** What a command may touch: the machine, the terminal, and the wish to stop. */
export interface CommandContext {
  readonly host: Host;
  /** Results, for people and for programs that read them. */
  readonly out: (text: string) => void;
  /** Everything else: progress, notes, errors. */
  readonly note: (text: string) => void;
  /** Whether `note` reaches a person who watches. */
  readonly isTerminal: boolean;
  /**
   * Aborts on the first Ctrl-C or SIGTERM, or when nobody reads the output any longer; a second signal ends the
   * process at once.
   */
  readonly interrupt: () => AbortSignal;
}

/** The context of this process. */
export function currentContext(): CommandContext {
  let stopping: AbortController | null = null;
  watchOutput(process.stdout, {
    unread: () => {
      if (stopping === null) process.exit(exitStatus.interrupted);
      stopping.abort();
    },
    failed: ({ message, code }) => {
      process.stderr.write(`slipstream: The output cannot be written: ${message} [${code}]\n`);
      process.exit(exitStatus.setup);
    },
  });
  // Notes that nobody reads are no reason to stop.
  process.stderr.on("error", () => undefined);
  return {
    host: currentHost(),
    out: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    interrupt: () => {
      stopping ??= stopOnSignals();
      return stopping.signal;
    },
  };
}

function stopOnSignals(): AbortController {
  const stopping = new AbortController();
  listenForStops(process, {
    first: () => stopping.abort(),
    again: () => process.exit(exitStatus.interrupted),
    now: () => performance.now(),
  });
  return stopping;
}
