import type { Clock } from "@slipstream-stack/inference";
import type { WebSocket } from "ws";
import { startTimer } from "../timer.ts";

/** Pings in a row without an answer after which a client counts as dead. */
const unansweredLimit = 2;

/**
 * Pings a client, so that proxies keep the connection and a dead client is found and cut. Clients' own idle
 * timers count events only: for those see `EventStream`.
 *
 * @param intervalMs milliseconds between pings
 * @returns ends the heartbeat
 */
export function startHeartbeat(socket: WebSocket, clock: Clock, intervalMs: number): () => void {
  let unanswered = 0;
  let stop: () => void = () => undefined;
  socket.on("pong", () => {
    unanswered = 0;
  });
  const beat = (): void => {
    stop = startTimer(clock, intervalMs, () => {
      if (unanswered >= unansweredLimit) {
        socket.terminate();
        return;
      }
      unanswered += 1;
      if (socket.readyState === socket.OPEN) socket.ping();
      beat();
    });
  };
  beat();
  return () => stop();
}
