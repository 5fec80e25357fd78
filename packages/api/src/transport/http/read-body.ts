import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { gunzip, zstdDecompress } from "node:zlib";
import { WireError } from "@slipstream-stack/protocol";
import type { TransportLimits } from "../limits.ts";

const decoders = { gzip: promisify(gunzip), zstd: promisify(zstdDecompress) } as const;

interface BodyHeaders {
  readonly "content-encoding"?: string | undefined;
  readonly "content-type"?: string | undefined;
  readonly "content-length"?: string | undefined;
}

function tooLarge(limit: number): WireError {
  return new WireError(
    "request_too_large",
    `The body is larger than ${limit} bytes; send less, or chain requests.`,
  );
}

async function collect(payload: Readable, declared: number, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if (declared > limit) throw tooLarge(limit);
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      size += (chunk as Buffer).length;
      if (size > limit) throw tooLarge(limit);
      chunks.push(chunk as Buffer);
    }
  } catch (error) {
    // The rest is read and dropped, so that the client gets to see the answer.
    payload.resume();
    if (WireError.isInstance(error)) throw error;
    throw new WireError("client_closed_request", "The body ended early.", { cause: error });
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size);
}

async function decompress(bytes: Buffer, encoding: keyof typeof decoders, limit: number): Promise<Buffer> {
  try {
    return await decoders[encoding](bytes, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(limit);
    throw new WireError("invalid_json", `The body is not valid ${encoding}.`, { cause: error });
  }
}

/** A request's body. */
export interface Body {
  readonly bytes: Buffer;
  /** Bytes as they came over the wire, before decompression. */
  readonly received: number;
}

/**
 * Reads and decompresses a JSON body.
 *
 * @throws WireError `unsupported_media_type`, `request_too_large`, `invalid_json`, `client_closed_request`
 */
export async function readBody(
  payload: Readable,
  headers: BodyHeaders,
  limits: TransportLimits,
): Promise<Body> {
  const type = headers["content-type"]?.split(";")[0]?.trim().toLowerCase() ?? "application/json";
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  const isEncoded = encoding !== "identity";
  if (type !== "application/json" || (isEncoded && !Object.hasOwn(decoders, encoding))) {
    payload.resume();
    throw new WireError(
      "unsupported_media_type",
      "Send `content-type: application/json`, plain or with `content-encoding: gzip` or `zstd`.",
    );
  }
  const received = await collect(payload, Number(headers["content-length"] ?? 0), limits.bodyBytes);
  const bytes = isEncoded
    ? await decompress(received, encoding as keyof typeof decoders, limits.decompressedBytes)
    : received;
  return { bytes, received: received.length };
}
