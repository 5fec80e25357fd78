const brand = Symbol.for("slipstream.cli.CliError");

/** Exit statuses of every command. */
export const exitStatus = {
  done: 0,
  taskFailed: 1,
  usage: 2,
  setup: 3,
  server: 4,
  internal: 5,
  interrupted: 130,
} as const;

/** Stable codes of what a command can end with, each with the exit status it gives. */
export const cliErrorStatus = {
  usage_invalid: exitStatus.usage,
  config_invalid: exitStatus.usage,
  config_unreadable: exitStatus.usage,
  model_unknown: exitStatus.usage,
  model_missing: exitStatus.setup,
  model_broken: exitStatus.setup,
  model_not_added: exitStatus.setup,
  archive_broken: exitStatus.setup,
  hash_mismatch: exitStatus.setup,
  source_unreachable: exitStatus.setup,
  source_missing: exitStatus.setup,
  pip_missing: exitStatus.setup,
  disk_full: exitStatus.setup,
  folder_unwritable: exitStatus.setup,
  pull_running: exitStatus.setup,
  sandbox_missing: exitStatus.setup,
  port_in_use: exitStatus.setup,
  server_not_started: exitStatus.setup,
  server_unreachable: exitStatus.server,
  server_ended: exitStatus.server,
  server_refused: exitStatus.server,
  not_found: exitStatus.taskFailed,
} as const satisfies Record<string, number>;
export type CliErrorCode = keyof typeof cliErrorStatus;

/** An error a person at the terminal sees: its message says what to do, its code decides the exit status. */
export class CliError extends Error {
  readonly [brand] = true;
  readonly code: CliErrorCode;

  constructor(code: CliErrorCode, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "CliError";
    this.code = code;
  }

  /** The status the process ends with. */
  get exitStatus(): number {
    return cliErrorStatus[this.code];
  }

  /** Recognises a `CliError` across copies of this package. */
  static isInstance(value: unknown): value is CliError {
    return typeof value === "object" && value !== null && Object.hasOwn(value, brand);
  }
}
