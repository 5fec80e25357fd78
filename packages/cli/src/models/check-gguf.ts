import { open } from "node:fs/promises";
import { CliError } from "../errors.ts";

/** GGUF versions that today's llama.cpp reads. */
const knownVersions = new Set([2, 3]);

/**
 * Looks at the first bytes of a model file: magic, version and a tensor count (GGUF specification, "File structure").
 * @throws CliError `model_broken` when it is no GGUF file, `model_missing` when it cannot be opened
 */
export async function checkGguf(path: string): Promise<void> {
  const file = await open(path).catch((error: unknown) => {
    throw new CliError(
      "model_missing",
      `${path} cannot be opened. Check the path and its permissions.`,
      error,
    );
  });
  try {
    const head = Buffer.alloc(24);
    const { bytesRead } = await file.read(head, 0, head.length, 0).catch(() => ({ bytesRead: 0 }));
    if (bytesRead < head.length || head.toString("latin1", 0, 4) !== "GGUF") {
      throw new CliError("model_broken", `${path} is not a GGUF file. Convert the model to GGUF first.`);
    }
    const version = head.readUInt32LE(4);
    if (!knownVersions.has(version) || head.readBigUInt64LE(8) === 0n) {
      throw new CliError(
        "model_broken",
        `${path} is a GGUF file of version ${version} without tensors or too new.`,
      );
    }
  } finally {
    await file.close();
  }
}
