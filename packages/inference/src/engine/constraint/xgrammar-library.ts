import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { compileFunction } from "node:vm";
import type { JsonObject } from "@slipstream-stack/protocol";

/** A grammar of the library, parsed. */
export interface XGrammar {
  dispose(): void;
}

/** A vocabulary as the library preprocessed it. */
export interface XTokenizerInfo {
  dispose(): void;
}

/** A grammar compiled for one vocabulary. */
export interface XCompiledGrammar {
  dispose(): void;
}

/** One walk through a compiled grammar. */
export interface XMatcher {
  dispose(): void;
  acceptToken(tokenId: number): boolean;
  /** Takes raw bytes: a character may be split between two calls. */
  _acceptString(bytes: Uint8Array): boolean;
  /** Bit set = allowed; stop tokens are allowed where the grammar may end. */
  getNextTokenBitmask(): Promise<Int32Array>;
  /** The text that must follow, "" where there is a choice. */
  findJumpForwardString(): string;
}

/** Compiles grammars for one vocabulary. */
export interface XCompiler {
  dispose(): void;
  /** `strictMode` admits nothing that the schema does not name. */
  compileJSONSchema(
    schema: string,
    anyWhitespace: boolean,
    indent: number | undefined,
    separators: [string, string] | undefined,
    strictMode: boolean,
  ): Promise<XCompiledGrammar>;
  compileGrammar(grammar: XGrammar): Promise<XCompiledGrammar>;
  compileStructuralTag(tag: XFormat): Promise<XCompiledGrammar>;
}

/** The formats of the library's structural tags that are used here. */
export type XFormat =
  | { readonly type: "const_string"; readonly value: string }
  | { readonly type: "json_schema"; readonly json_schema: JsonObject }
  | { readonly type: "sequence" | "or"; readonly elements: readonly XFormat[] };

/** The part of `@mlc-ai/web-xgrammar` that is used here. */
export interface XLibrary {
  readonly Grammar: {
    fromEBNF(text: string, rootRule: string): Promise<XGrammar>;
  };
  readonly TokenizerInfo: {
    createTokenizerInfo(
      vocabulary: string[],
      kind: "byte_level",
      prependSpace: boolean,
      size: number,
      stopTokenIds: number[],
    ): Promise<XTokenizerInfo>;
  };
  readonly GrammarCompiler: {
    createGrammarCompiler(info: XTokenizerInfo, cache: boolean): Promise<XCompiler>;
  };
  readonly GrammarMatcher: { createGrammarMatcher(grammar: XCompiledGrammar): Promise<XMatcher> };
}

/** One WebAssembly instance of XGrammar, and what it says beside its return values. */
export interface XInstance {
  readonly library: XLibrary;
  /** The reason the library printed before it last aborted, without its source position. */
  lastComplaint(): string;
  /** Size of the instance's memory, bytes; 0 until first used. It never shrinks. */
  memoryBytes(): number;
}

interface WasmResult {
  readonly instance: { readonly exports: Readonly<Record<string, unknown>> };
}

/** The part of the global `WebAssembly` that is used here; Node's types leave it out. */
interface Wasm {
  readonly Memory: new (...options: never) => { readonly buffer: ArrayBuffer };
  readonly RuntimeError: unknown;
  instantiate(bytes: Uint8Array, imports: unknown): Promise<WasmResult>;
}

/**
 * Loads a fresh instance of XGrammar.
 *
 * The package is a UMD file that calls itself an ES module, so Node can neither import nor require it. It is run
 * here as what it is, with its globals handed in: nothing leaks to `globalThis`, each call gives an instance of
 * its own, its printing is caught (an abort's reason is only printed), and its memory can be measured. `process` is hidden from it as its
 * start-up for Node would import modules dynamically, which run code cannot; it reads no file.
 */
export function loadXGrammar(): XInstance {
  const require = createRequire(import.meta.url);
  const filename = require.resolve("@mlc-ai/web-xgrammar");
  const run = compileFunction(
    readFileSync(filename, "utf8"),
    ["exports", "module", "require", "__filename", "console", "WebAssembly", "process"],
    { filename },
  );
  let complaint = "";
  const wasm: Wasm = Reflect.get(globalThis, "WebAssembly");
  let memory: { readonly buffer: ArrayBuffer } | null = null;
  const listen = (...parts: unknown[]) => {
    const line = /^\[FATAL\] (?:\S+:\d+: )?(.*)$/s.exec(parts.join(" "))?.[1];
    if (line !== undefined) complaint = line;
  };
  const instantiate = async (bytes: Uint8Array, imports: unknown) => {
    const result = await wasm.instantiate(bytes, imports);
    for (const value of Object.values(result.instance.exports)) {
      if (value instanceof wasm.Memory) memory = value;
    }
    return result;
  };
  const exports: Partial<XLibrary> = {};
  run(
    exports,
    { exports },
    require,
    filename,
    { log: listen, error: listen, warn: listen },
    { RuntimeError: wasm.RuntimeError, instantiate },
    undefined,
  );
  return {
    library: exports as XLibrary,
    lastComplaint: () => complaint,
    memoryBytes: () => memory?.buffer.byteLength ?? 0,
  };
}
