import { CliError } from "../errors.ts";
import { fetchJson } from "./fetch-json.ts";

const timeoutMs = 5000;

/** Which model of which server. */
export interface ContextQuestion {
  /** With `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly apiKey: string | undefined;
  readonly signal: AbortSignal;
}

/** Tokens that a served model holds, or null where the server does not say so or does not answer. */
export async function askContextTokens(question: ContextQuestion): Promise<number | null> {
  const { baseUrl, model, apiKey, signal } = question;
  try {
    const { body } = await fetchJson({ url: `${baseUrl}/models`, apiKey, timeoutMs, signal });
    const models = (body as { data?: unknown } | null)?.data;
    if (!Array.isArray(models)) return null;
    const found = models.find((entry: { id?: unknown } | null) => entry?.id === model);
    const tokens: unknown = found?.context_length;
    return typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : null;
  } catch (error) {
    // Whether anybody answers is found, retried and told when the first request is made.
    if (CliError.isInstance(error)) return null;
    throw error;
  }
}
