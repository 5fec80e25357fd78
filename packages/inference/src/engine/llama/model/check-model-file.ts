import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { InferenceError } from "../../../errors.ts";

/**
 * Looks at a model file before the library does, so that the usual mistakes get an answer that says what to do.
 * Returns its size in bytes. Throws `InferenceError` `model_missing` or `model_broken`.
 */
export function checkModelFile(path: string): number {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (cause) {
    throw new InferenceError(
      "model_missing",
      `There is no readable model file at ${path}: pull the model or correct the path.`,
      cause,
    );
  }
  try {
    const status = fstatSync(file);
    if (!status.isFile()) {
      throw new InferenceError("model_missing", `${path} is not a file: name a GGUF file.`);
    }
    const magic = Buffer.alloc(4);
    readSync(file, magic, 0, 4, 0);
    if (magic.toString("latin1") !== "GGUF") {
      throw new InferenceError(
        "model_broken",
        `${path} is not a GGUF file: convert it, or pull the model again.`,
      );
    }
    return status.size;
  } finally {
    closeSync(file);
  }
}
