import { CliError } from "../errors.ts";

/** What the command line says of an agent. */
export interface AgentFlags {
  readonly baseUrl: string | null;
  readonly workspace: string | null;
  readonly sandbox: "auto" | "bubblewrap" | "none";
  readonly network: boolean;
  readonly transport: "auto" | "http" | "websocket";
  readonly maxLaps: number | null;
  readonly resume: string | null;
  readonly ephemeral: boolean;
}

/** @throws CliError `usage_invalid` */
export function readMaxLaps(text: string | undefined): number | null {
  if (text === undefined) return null;
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new CliError("usage_invalid", `--max-laps takes a whole number above 0, not "${text}".`);
}
