import { readdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The GGUF that engine tests run on: SLIPSTREAM_TEST_MODEL, or the embedded default once it has been pulled. */
export function testModelPath(): string {
  const named = process.env.SLIPSTREAM_TEST_MODEL;
  if (named !== undefined && named !== "") return named;
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const folder = join(cache, "slipstream", "models", "smollm2-135m-instruct");
  const file = readdirSync(folder).find((name) => /\.q8_0\.gguf$/i.test(name));
  if (file === undefined)
    throw new Error("pull the model smollm2-135m-instruct, or set SLIPSTREAM_TEST_MODEL");
  return join(folder, file);
}
