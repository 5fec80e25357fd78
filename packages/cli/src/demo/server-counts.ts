/** What a server counted from its start: everything that reached it, a prewarm included. */
export interface ServerCounts {
  /** Payload bytes of all requests. */
  readonly bytesIn: number;
  /** Prompt tokens the engine really evaluated. */
  readonly prefilled: number;
}

/** Sum over all label sets of a metric in Prometheus text, or of those whose labels contain `label`. */
export function sumMetric(text: string, name: string, label = ""): number {
  return text
    .split("\n")
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

/** Reads the counts of a server that has just worked. */
export async function readServerCounts(root: string, signal: AbortSignal): Promise<ServerCounts> {
  const response = await fetch(`${root}/metrics`, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
  });
  const text = await response.text();
  return {
    bytesIn: sumMetric(text, "slipstream_payload_bytes_total", 'direction="in"'),
    prefilled: sumMetric(text, "slipstream_engine_tokens_prefilled"),
  };
}
