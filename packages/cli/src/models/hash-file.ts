import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { pipeline } from "node:stream/promises";

/** SHA-256 of a file as 64 hexadecimal digits. `onBytes` is told how many bytes are done so far. */
export async function hashFile(
  path: string,
  signal: AbortSignal,
  onBytes: (done: number) => void = () => {},
): Promise<string> {
  const hash = createHash("sha256");
  let done = 0;
  await pipeline(
    createReadStream(path, { highWaterMark: 1 << 20 }),
    async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) {
        hash.update(chunk);
        done += chunk.length;
        onBytes(done);
      }
    },
    { signal },
  );
  return hash.digest("hex");
}
