import koffi from "koffi";
import { InferenceError } from "../../../errors.ts";
import { findLibrary } from "./find-library.ts";
import { bindGgml, bindLlama, type GgmlFunctions, type LlamaFunctions } from "./functions.ts";
import { describeLayouts, type Layouts } from "./layouts.ts";
import type { FunctionPointer, ThreadpoolPointer } from "./pointer.ts";
import { checkLayouts } from "./self-check.ts";

/** llama.cpp, loaded and checked, as one thread sees it. */
export interface LlamaLibrary {
  readonly llama: LlamaFunctions;
  readonly ggml: GgmlFunctions;
  readonly layouts: Layouts;
  /** libc's `strlen`: used as abort callback, true once the first byte of its data is not 0. */
  readonly abortCallback: FunctionPointer;
  /** A thread pool that lives as long as the process. */
  createThreadpool(threads: number): ThreadpoolPointer;
}

let loaded: LlamaLibrary | null = null;

/**
 * Loads llama.cpp into this process once, silences its log and checks that its layouts are the ones described
 * here. Throws `InferenceError` `library_missing` or `library_mismatch`.
 */
export function loadLibrary(platform: string, architecture: string): LlamaLibrary {
  loaded ??= open(platform, architecture);
  return loaded;
}

function open(platform: string, architecture: string): LlamaLibrary {
  const files = findLibrary(platform, architecture);
  const layouts = describeLayouts();
  try {
    koffi.load(files.ggmlBase);
    const ggml = bindGgml(koffi.load(files.ggml));
    const llama = bindLlama(koffi.load(files.llama), layouts);
    const libc = koffi.load(platform === "win32" ? "ucrtbase.dll" : null);
    // A JavaScript log callback would be called from compute threads; abs(int) ignores all its arguments.
    llama.logSet(libc.symbol("abs"), null);
    // Each thread of a process binds its own functions, but backends register once per process.
    if (ggml.backendCount() === 0) ggml.loadBackends(files.folder);
    llama.backendInit();
    checkLayouts(llama, layouts);
    return {
      llama,
      ggml,
      layouts,
      abortCallback: libc.symbol("strlen"),
      createThreadpool: (threads) => createThreadpool(ggml, layouts, threads),
    };
  } catch (cause) {
    if (InferenceError.isInstance(cause)) throw cause;
    throw new InferenceError(
      "library_missing",
      `llama.cpp could not be loaded from ${files.folder}: ${cause instanceof Error ? cause.message : cause}`,
      cause,
    );
  }
}

function createThreadpool(ggml: GgmlFunctions, layouts: Layouts, threads: number): ThreadpoolPointer {
  const create = koffi.proto("void *", ["void *"]);
  for (let index = 0; index < ggml.backendCount(); index += 1) {
    const address = ggml.backendFunction(ggml.backend(index), "ggml_threadpool_new");
    if (address === null) continue;
    const params = {
      cpumask: new Array(512).fill(false),
      n_threads: threads,
      prio: 0,
      // Spins a few milliseconds for the next step, then sleeps: the cores belong to the tools between two laps.
      poll: 2,
      strict_cpu: false,
      paused: false,
    };
    const pool = koffi.call(address, create, koffi.as(params, koffi.pointer(layouts.threadpoolParams)));
    if (pool !== null) return pool;
  }
  throw new InferenceError("library_mismatch", "No CPU backend of llama.cpp offers a thread pool.");
}
