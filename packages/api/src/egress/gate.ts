import type { ParsedEvent } from "../parse/parsed-event.ts";

/**
 * Stands between parsing and everything that leaves the server (architecture, law 6). From the first held
 * event on all later output waits; only keep-alives without content pass.
 */
export interface OutputGate {
  admit(event: ParsedEvent): "pass" | "hold";
  /** Resolves when no verdict is open any more. */
  settled(): Promise<"accept" | "refuse">;
}

/** The gate while no safety check is configured: everything passes, every answer is accepted. */
export const openGate: OutputGate = {
  admit: () => "pass",
  settled: () => Promise.resolve("accept"),
};
