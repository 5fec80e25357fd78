import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import { findLibrary, type LibraryFiles } from "@slipstream-stack/inference";
import { BenchSkipped } from "../bench.ts";

/** How the native loop is set up; the same values as the engine it is compared with. */
export interface NativeOptions {
  readonly modelPath: string;
  readonly contextTokens: number;
  readonly batchTokens: number;
  readonly threads: number;
}

const source = fileURLToPath(new URL("../../native/native-loop.c", import.meta.url));

/** A C program on the engine's own library that waits for a command, does it, and says how long it took. */
export class NativeLoop implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #answers: AsyncIterator<string>;
  readonly #folder: string;

  private constructor(child: ChildProcess, lines: Interface, folder: string) {
    this.#child = child;
    this.#lines = lines;
    this.#answers = lines[Symbol.asyncIterator]();
    this.#folder = folder;
  }

  /** Compiles and starts it. @throws BenchSkipped without a compiler or a library for this machine */
  static async start(temporaryFolder: string, options: NativeOptions): Promise<NativeLoop> {
    const library = findLibrary(process.platform, process.arch);
    const folder = await mkdtemp(join(temporaryFolder, "slipstream-native-"));
    try {
      const program = join(folder, "native-loop");
      compile(library, program);
      const { modelPath, contextTokens, batchTokens, threads } = options;
      const counts = [contextTokens, batchTokens, threads].map(String);
      const child = spawn(program, [library.folder, modelPath, ...counts], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      const loop = new NativeLoop(child, createInterface({ input: child.stdout }), folder);
      await loop.#answer();
      return loop;
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Milliseconds to evaluate a prompt and pick its first token. */
  prefill(tokens: number): Promise<number> {
    return this.#ask(`prefill ${tokens}`);
  }

  /** Milliseconds of `steps` steps of one token for each sequence, behind prompts of `prompt` tokens. */
  decode(sequences: number, prompt: number, steps: number): Promise<number> {
    return this.#ask(`decode ${sequences} ${prompt} ${steps}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const gone = new Promise((settle) => this.#child.once("exit", settle));
    const running = this.#child.exitCode === null && this.#child.signalCode === null;
    this.#lines.close();
    this.#child.kill("SIGKILL");
    if (running) await gone;
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #ask(command: string): Promise<number> {
    this.#child.stdin?.write(`${command}\n`);
    return Number(await this.#answer());
  }

  async #answer(): Promise<string> {
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error("the native loop ended; it said why on the error stream");
    return value;
  }
}

function compile(library: LibraryFiles, program: string): void {
  const libraries = [library.llama, library.ggml, library.ggmlBase];
  // The package's libraries find each other beside themselves; the linker need not.
  const linking = [`-Wl,-rpath,${library.folder}`, "-Wl,--allow-shlib-undefined"];
  const run = spawnSync("cc", ["-O2", source, "-o", program, ...libraries, ...linking], { encoding: "utf8" });
  if (run.error !== undefined) throw new BenchSkipped("engine-native wants a C compiler, and there is no cc");
  if (run.status !== 0)
    throw new BenchSkipped(`engine-native: cc does not build the native loop here:\n${run.stderr}`);
}
