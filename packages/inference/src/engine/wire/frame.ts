import { decode, Encoder, ExtensionCodec } from "@msgpack/msgpack";

/** Most bytes of one frame's body: above a vocabulary of 262,144 tokens, below what would exhaust memory. */
export const largestFrame = 64 * 1024 * 1024;

const headerBytes = 4;
const codec = new ExtensionCodec();

function registerArray<T extends Uint32Array | Float32Array>(
  type: number,
  create: { new (buffer: ArrayBuffer): T },
): void {
  codec.register({
    type,
    encode: (value) =>
      value instanceof create ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : null,
    // The bytes lie anywhere in the frame: a copy aligns them.
    decode: (bytes) => new create(Uint8Array.from(bytes).buffer),
  });
}

registerArray(1, Uint32Array);
registerArray(2, Float32Array);

const encoder = new Encoder({ extensionCodec: codec, ignoreUndefined: true });

/** A message as one frame: four bytes of length, little endian, then MessagePack with typed arrays. */
export function encodeFrame(message: unknown): Uint8Array<ArrayBuffer> {
  const body = encoder.encodeSharedRef(message);
  if (body.length > largestFrame) throw new RangeError(`a frame of ${body.length} bytes`);
  const frame = new Uint8Array(headerBytes + body.length);
  new DataView(frame.buffer).setUint32(0, body.length, true);
  frame.set(body, headerBytes);
  return frame;
}

/** Cuts a byte stream into messages. Throws `RangeError` or what MessagePack throws: the stream is then lost. */
export class FrameDecoder {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #needed = headerBytes;

  push(chunk: Uint8Array): unknown[] {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const messages: unknown[] = [];
    // Chunks are joined once they are enough for a frame, so that a large one costs one copy.
    while (this.#bytes >= this.#needed) {
      const joined = this.#chunks.length === 1 ? (this.#chunks[0] ?? chunk) : Buffer.concat(this.#chunks);
      const length = new DataView(joined.buffer, joined.byteOffset).getUint32(0, true);
      if (length > largestFrame) throw new RangeError(`a frame of ${length} bytes`);
      const end = headerBytes + length;
      this.#needed = end;
      this.#chunks = [joined];
      if (joined.length < end) break;
      messages.push(decode(joined.subarray(headerBytes, end), { extensionCodec: codec }));
      this.#chunks = [joined.subarray(end)];
      this.#bytes = joined.length - end;
      this.#needed = headerBytes;
    }
    return messages;
  }
}
