import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { RequestSummary } from "./request-summary.ts";

const seconds = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300];

/** What the transports count. Names and labels are stable; labels are from closed sets. */
export class TransportMetrics {
  readonly #requests: Counter<"transport" | "route" | "status" | "code">;
  readonly #duration: Histogram<"transport" | "route">;
  readonly #bytes: Counter<"direction">;
  readonly #connections: Gauge;
  readonly #stalls: Counter;
  readonly #cuts: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: "slipstream_requests_total",
      help: "Requests answered, by transport, route, status and error code.",
      labelNames: ["transport", "route", "status", "code"],
      registers,
    });
    this.#duration = new Histogram({
      name: "slipstream_request_seconds",
      help: "Seconds from the request's arrival to the end of its answer.",
      labelNames: ["transport", "route"],
      buckets: seconds,
      registers,
    });
    this.#bytes = new Counter({
      name: "slipstream_payload_bytes_total",
      help: "Payload bytes of requests (in) and answers (out).",
      labelNames: ["direction"],
      registers,
    });
    this.#connections = new Gauge({
      name: "slipstream_websocket_connections",
      help: "Open WebSocket connections.",
      registers,
    });
    this.#stalls = new Counter({
      name: "slipstream_send_stalls_total",
      help: "Times a response waited for a slow client.",
      registers,
    });
    this.#cuts = new Counter({
      name: "slipstream_send_cuts_total",
      help: "Connections cut because their client does not read.",
      registers,
    });
  }

  finished(summary: RequestSummary): void {
    const { transport, route } = summary;
    const code = summary.code ?? "none";
    this.#requests.inc({ transport, route, status: String(summary.status), code });
    this.#duration.observe({ transport, route }, summary.ms / 1000);
    this.#bytes.inc({ direction: "in" }, summary.bytesIn);
    this.#bytes.inc({ direction: "out" }, summary.bytesOut);
  }

  connected(): void {
    this.#connections.inc();
  }

  disconnected(): void {
    this.#connections.dec();
  }

  stalled(): void {
    this.#stalls.inc();
  }

  cut(): void {
    this.#cuts.inc();
  }
}
