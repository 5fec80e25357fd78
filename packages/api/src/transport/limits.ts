/** What one client may cost. Sizes in bytes, durations in milliseconds. */
export interface TransportLimits {
  /** Largest request body as received, and largest WebSocket message. */
  readonly bodyBytes: number;
  /** Largest request body after decompression. */
  readonly decompressedBytes: number;
  /** Bodies above this are parsed and validated in a worker thread. */
  readonly inlineParseBytes: number;
  readonly items: number;
  /** Nesting of arrays and objects in a body. */
  readonly jsonDepth: number;
  /** A client that does not send its whole body in this time is answered with an error. */
  readonly bodyMs: number;
  /** Silence after which `response.in_progress` is repeated. */
  readonly keepAliveMs: number;
  /** Interval of WebSocket pings; a connection that answered none in two of them is cut. */
  readonly pingMs: number;
  /** Life of a WebSocket connection. */
  readonly connectionMs: number;
  /** Unsent bytes above which a response's decode waits for its client. */
  readonly sendBufferBytes: number;
  /** Unsent bytes above which the connection is cut. */
  readonly sendBufferHardBytes: number;
  /** Time without room in the send buffer after which the connection is cut. */
  readonly sendStallMs: number;
  /** Responses running at once on one WebSocket connection. */
  readonly activeLanes: number;
  /** Names of lanes one connection may use; the default lane has none. */
  readonly laneNames: number;
  /** Requests waiting on one connection, over all lanes. */
  readonly queuedRequests: number;
}

const kibibyte = 1024;
const mebibyte = 1024 * kibibyte;
const second = 1000;
const minute = 60 * second;

/** The limits where the configuration says nothing. */
export const defaultLimits: TransportLimits = {
  bodyBytes: 32 * mebibyte,
  decompressedBytes: 64 * mebibyte,
  inlineParseBytes: 256 * kibibyte,
  items: 20_000,
  jsonDepth: 128,
  bodyMs: 2 * minute,
  keepAliveMs: 15 * second,
  pingMs: 30 * second,
  connectionMs: 60 * minute,
  sendBufferBytes: mebibyte,
  sendBufferHardBytes: 8 * mebibyte,
  sendStallMs: minute,
  activeLanes: 16,
  laneNames: 32,
  queuedRequests: 256,
};
