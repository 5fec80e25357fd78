import { CliError } from "../errors.ts";

/** One question to a server. */
export interface JsonQuestion {
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A server's answer: status and parsed body (null when it is no JSON). */
export interface JsonAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** @throws CliError `server_unreachable` when nothing answers in time */
export async function fetchJson(question: JsonQuestion): Promise<JsonAnswer> {
  const { url, apiKey, timeoutMs, signal } = question;
  try {
    const response = await fetch(url, {
      headers: apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await response.text();
    return { status: response.status, body: parseOrNull(text) };
  } catch (error) {
    signal.throwIfAborted();
    throw new CliError(
      "server_unreachable",
      `No server answers at ${new URL(url).origin}. Start one: slipstream serve`,
      error,
    );
  }
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The message of an OpenAI error body, if it is one. */
export function errorMessage(body: unknown): string {
  const error = (body as { error?: { message?: unknown } } | null)?.error;
  return typeof error?.message === "string" ? error.message : "no reason given";
}
