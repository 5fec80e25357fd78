import { currentHost, type Host } from "../host/host.ts";

/** What a command may touch: the machine, the terminal, and the wish to stop. */
export interface CommandContext {
  readonly host: Host;
  /** Results, for people and for programs that read them. */
  readonly out: (text: string) => void;
  /** Everything else: progress, notes, errors. */
  readonly note: (text: string) => void;
  /** Whether `note` reaches a person who watches. */
  readonly isTerminal: boolean;
  /** Aborts on the first Ctrl-C or SIGTERM; a second one ends the process at once. */
  readonly interrupt: () => AbortSignal;
}

/** The context of this process. */
export function currentContext(): CommandContext {
  let signal: AbortSignal | null = null;
  return {
    host: currentHost(),
    out: (text) => process.stdout.write(text),
    note: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    interrupt: () => {
      signal ??= interruptOf(process);
      return signal;
    },
  };
}

/** Signals of a process as an abort signal. From the second one on the process's own behaviour is back. */
export function interruptOf(source: Pick<NodeJS.Process, "once">): AbortSignal {
  const controller = new AbortController();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
    source.once(name, () => controller.abort());
  }
  return controller.signal;
}
