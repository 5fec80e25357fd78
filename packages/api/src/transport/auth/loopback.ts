import { isIP } from "node:net";

/** A host without port and brackets, in lower case. */
export function bareHost(host: string): string {
  const lower = host.trim().toLowerCase();
  if (lower.startsWith("[")) return lower.slice(1, lower.indexOf("]") < 0 ? undefined : lower.indexOf("]"));
  return isIP(lower) === 6 ? lower : lower.replace(/:\d*$/, "");
}

/** Whether a host name or address, with or without port, is this machine's loopback. */
export function isLoopback(host: string): boolean {
  const bare = bareHost(host);
  if (bare === "localhost" || bare === "::1") return true;
  return isIP(bare) === 4 && bare.startsWith("127.");
}
