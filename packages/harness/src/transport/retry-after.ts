const unitMs = { ms: 1, s: 1000 } as const;

/**
 * The wait a server asks for, in milliseconds, or null. Headers win over the message ("try again in 0.7s"),
 * as they do for Codex. HTTP dates are not read: they would need the machine's clock.
 */
export function retryAfterMs(headers: Readonly<Record<string, string>>, message: string): number | null {
  const milliseconds = Number(headers["retry-after-ms"]);
  if (headers["retry-after-ms"] !== undefined && milliseconds >= 0) return milliseconds;
  const seconds = Number(headers["retry-after"]);
  if (headers["retry-after"] !== undefined && seconds >= 0) return seconds * 1000;
  const hint = /try again in (\d+(?:\.\d+)?) ?(ms|s)\b/i.exec(message);
  if (hint === null) return null;
  const unit = hint[2]?.toLowerCase() === "ms" ? unitMs.ms : unitMs.s;
  return Number(hint[1]) * unit;
}
