declare const pointee: unique symbol;

/**
 * An address in C memory. koffi takes any bigint (and even a string) for a pointer, so that only this brand
 * keeps a model from being passed where a context belongs.
 */
export type Pointer<Name extends string> = bigint & { readonly [pointee]: Name };

export type ModelPointer = Pointer<"llama_model">;
export type VocabularyPointer = Pointer<"llama_vocab">;
export type ContextPointer = Pointer<"llama_context">;
export type MemoryPointer = Pointer<"llama_memory">;
export type ThreadpoolPointer = Pointer<"ggml_threadpool">;
export type BackendPointer = Pointer<"ggml_backend_reg">;
export type FunctionPointer = Pointer<"function">;

/** A C array or byte block owned by this process until freed. */
export type BlockPointer = Pointer<"block">;
