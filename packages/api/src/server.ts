import type { Clock } from "@slipstream-stack/inference";
import type { Registry } from "prom-client";
import { ApiError } from "./errors.ts";
import { type ApiKey, createAuthenticator } from "./transport/auth/keys.ts";
import { CreateOffload } from "./transport/create/offload.ts";
import { createApp } from "./transport/http/app.ts";
import { defaultLimits, type TransportLimits } from "./transport/limits.ts";
import { TransportMetrics } from "./transport/metrics.ts";
import type { Logger } from "./transport/request-log.ts";
import type { Handlers, NewId, Service } from "./transport/service.ts";
import { WebSocketMode } from "./transport/websocket/upgrade.ts";

export interface ServerOptions extends Handlers {
  /** Bearer keys; none lets everybody in, on loopback hosts only. */
  readonly keys: readonly ApiKey[];
  /** Browser origins that may call the server. */
  readonly origins: readonly string[];
  /** Names, besides loopback and the listening address, under which the server is addressed. */
  readonly hosts: readonly string[];
  readonly limits?: Partial<TransportLimits>;
  readonly webSocket: boolean;
  readonly settingsInheritance: boolean;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly logger: Logger;
  readonly metrics: Registry;
}

/** The server on its port. */
export interface Server {
  /**
   * Starts to listen; port 0 takes a free one.
   *
   * @throws ApiError `port_in_use`, `address_unavailable`, `keys_required`
   */
  listen(host: string, port: number): Promise<{ readonly port: number }>;
  /** Takes no more requests, lets running ones end within `drainMs`, then cuts what is left. */
  close(drainMs: number): Promise<void>;
}

function listenError(error: unknown, host: string, port: number): ApiError {
  if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") {
    return new ApiError(
      "port_in_use",
      `Port ${port} on ${host} is in use: end the other program, or give another port with --port (0 takes a free one).`,
      error,
    );
  }
  return new ApiError(
    "address_unavailable",
    `Cannot listen on ${host}, port ${port} (${(error as NodeJS.ErrnoException).code}): give an address of this machine with --host.`,
    error,
  );
}

/** The parts of a service that do not depend on the address. */
function serviceOf(
  options: ServerOptions,
  metrics: TransportMetrics,
  host: string,
  isDraining: () => boolean,
): Service {
  return {
    handlers: options,
    authenticator: createAuthenticator(options.keys, host),
    originRules: { origins: options.origins, hosts: [...options.hosts, host] },
    limits: { ...defaultLimits, ...options.limits },
    offload: new CreateOffload(),
    webSocket: options.webSocket,
    settingsInheritance: options.settingsInheritance,
    clock: options.clock,
    newId: options.newId,
    logger: options.logger,
    metrics,
    exposition: async () => ({
      contentType: options.metrics.contentType,
      text: await options.metrics.metrics(),
    }),
    isDraining,
  };
}

/** The Responses API over HTTP, server-sent events and WebSocket on one port. */
export function createServer(options: ServerOptions): Server {
  const metrics = new TransportMetrics(options.metrics);
  let draining = false;
  let stop: (drainMs: number) => Promise<void> = () => Promise.resolve();
  return {
    async listen(host, port) {
      const service = serviceOf(options, metrics, host, () => draining);
      const app = createApp(service);
      const webSocketMode = new WebSocketMode(service);
      app.server.on("upgrade", (request, socket, head) => webSocketMode.upgrade(request, socket, head));
      try {
        await app.listen({ host, port });
      } catch (error) {
        await app.close();
        throw listenError(error, host, port);
      }
      stop = async (drainMs) => {
        const ended = Promise.all([webSocketMode.drain(), app.close()]);
        const cutOff = new AbortController();
        const late = options.clock.sleep(drainMs, cutOff.signal).catch(() => undefined);
        await Promise.race([ended, late]);
        cutOff.abort();
        webSocketMode.cut();
        app.server.closeAllConnections();
        await ended;
        await service.offload.close();
      };
      const address = app.server.address();
      return { port: typeof address === "object" && address !== null ? address.port : port };
    },
    async close(drainMs) {
      draining = true;
      const current = stop;
      stop = () => Promise.resolve();
      await current(drainMs);
    },
  };
}
