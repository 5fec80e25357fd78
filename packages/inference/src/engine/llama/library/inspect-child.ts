import { packageVersion } from "./find-library.ts";
import { loadLibrary } from "./load-library.ts";

/** The child of inspect-library.ts: loads the library, which checks its layouts, and says what it is. */
try {
  loadLibrary(process.platform, process.arch);
  process.stdout.write(`llama.cpp of @node-llama-cpp ${packageVersion}, layouts checked`);
} catch (error) {
  process.stdout.write(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}
