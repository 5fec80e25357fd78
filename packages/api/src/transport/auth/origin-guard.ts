import { WireError } from "@slipstream-stack/protocol";
import { bareHost, isLoopback } from "./loopback.ts";

export interface OriginRules {
  /** Origins, as browsers send them, that may call this server. */
  readonly origins: readonly string[];
  /** Host names, besides loopback, under which this server is addressed. */
  readonly hosts: readonly string[];
}

interface GuardedHeaders {
  readonly origin?: string | undefined;
  readonly host?: string | undefined;
}

/**
 * Refuses what a browser was led to send: any page can reach a loopback port, so an `Origin` has to be
 * allowed by name, and a `Host` has to be loopback or configured (else it may be a rebound DNS name).
 *
 * @throws WireError `forbidden_origin`
 */
export function checkOrigin(headers: GuardedHeaders, rules: OriginRules): void {
  const { origin, host } = headers;
  if (origin !== undefined && !rules.origins.includes(origin)) {
    throw new WireError(
      "forbidden_origin",
      "This origin may not use the server; allow it in the configuration.",
    );
  }
  const isKnown =
    host !== undefined &&
    (isLoopback(host) || rules.hosts.some((known) => bareHost(known) === bareHost(host)));
  if (isKnown) return;
  throw new WireError("forbidden_origin", "This host name is not configured; add it, or use 127.0.0.1.");
}
