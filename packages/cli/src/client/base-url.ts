import { CliError } from "../errors.ts";

/** Where a server is. */
export interface ServerAddress {
  /** Without a slash at its end: `http://127.0.0.1:4141`. */
  readonly root: string;
  /** What the OpenAI SDKs call base URL: root and `/v1`. */
  readonly baseUrl: string;
}

/**
 * Reads `--base-url` with or without `/v1` at its end.
 * @throws CliError `usage_invalid`
 */
export function readBaseUrl(text: string): ServerAddress {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new CliError("usage_invalid", `${text} is no base URL. It looks like http://127.0.0.1:4141/v1`);
  }
  const path = url.pathname.replace(/\/+$/, "").replace(/\/v1$/, "");
  const root = `${url.protocol}//${url.host}${path}`;
  return { root, baseUrl: `${root}/v1` };
}
