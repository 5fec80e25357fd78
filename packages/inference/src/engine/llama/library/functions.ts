import type koffi from "koffi";
import type { LibraryHandle } from "koffi";
import type { Layouts } from "./layouts.ts";
import type {
  BackendPointer,
  BlockPointer,
  ContextPointer,
  FunctionPointer,
  MemoryPointer,
  ModelPointer,
  ThreadpoolPointer,
  VocabularyPointer,
} from "./pointer.ts";

type Params = Record<string, unknown>;
/** A structure passed by its address. */
type StructureAddress = ReturnType<typeof koffi.as>;
type Bytes = Uint8Array;

/** The functions of libllama that the engine calls, typed. Names are those of `llama.h` without `llama_`. */
export interface LlamaFunctions {
  version(): string;
  logSet(callback: FunctionPointer, data: null): void;
  backendInit(): void;
  modelDefaultParams(): Params;
  contextDefaultParams(): Params;
  quantizeDefaultParams(): Params;
  modelLoad(path: string, params: Params): ModelPointer | null;
  modelFree(model: ModelPointer): void;
  modelQuantize(source: string, target: string, params: StructureAddress): number;
  contextInit(model: ModelPointer, params: Params): ContextPointer | null;
  contextFree(context: ContextPointer): void;
  attachThreadpool(context: ContextPointer, decode: ThreadpoolPointer, prefill: ThreadpoolPointer): void;
  setThreads(context: ContextPointer, decode: number, prefill: number): void;
  setAbortCallback(context: ContextPointer, callback: FunctionPointer, data: BlockPointer): void;
  contextSize(context: ContextPointer): number;
  batchSize(context: ContextPointer): number;
  getMemory(context: ContextPointer): MemoryPointer;
  getVocabulary(model: ModelPointer): VocabularyPointer;
  trainedContext(model: ModelPointer): number;
  layers(model: ModelPointer): number;
  embedding(model: ModelPointer): number;
  heads(model: ModelPointer): number;
  kvHeads(model: ModelPointer): number;
  hasEncoder(model: ModelPointer): boolean;
  isRecurrent(model: ModelPointer): boolean;
  isHybrid(model: ModelPointer): boolean;
  isDiffusion(model: ModelPointer): boolean;
  metaValue(model: ModelPointer, key: string, buffer: Bytes, capacity: number): number;
  chatTemplate(model: ModelPointer, name: null): string | null;
  vocabularySize(vocabulary: VocabularyPointer): number;
  vocabularyType(vocabulary: VocabularyPointer): number;
  tokenText(vocabulary: VocabularyPointer, token: number): string | null;
  tokenAttributes(vocabulary: VocabularyPointer, token: number): number;
  isEndOfGeneration(vocabulary: VocabularyPointer, token: number): boolean;
  beginOfText(vocabulary: VocabularyPointer): number;
  endOfText(vocabulary: VocabularyPointer): number;
  addsBeginOfText(vocabulary: VocabularyPointer): boolean;
  tokenize(
    vocabulary: VocabularyPointer,
    text: Bytes,
    textLength: number,
    tokens: Int32Array,
    capacity: number,
    addSpecial: boolean,
    parseSpecial: boolean,
  ): number;
  tokenToPiece(
    vocabulary: VocabularyPointer,
    token: number,
    buffer: Bytes,
    capacity: number,
    leftStrip: number,
    special: boolean,
  ): number;
  decode(context: ContextPointer, batch: Params): number;
  logits(context: ContextPointer, row: number): BlockPointer | null;
  memoryClear(memory: MemoryPointer, data: boolean): void;
  sequenceRemove(memory: MemoryPointer, sequence: number, from: number, to: number): boolean;
  sequenceCopy(memory: MemoryPointer, source: number, target: number, from: number, to: number): void;
  sequencePositionMin(memory: MemoryPointer, sequence: number): number;
  sequencePositionMax(memory: MemoryPointer, sequence: number): number;
  stateSize(context: ContextPointer, sequence: number): number;
  stateGet(context: ContextPointer, target: Bytes, size: number, sequence: number): number;
  stateSet(context: ContextPointer, source: Bytes, size: number, sequence: number): number;
}

/** The functions of libggml that the engine calls. */
export interface GgmlFunctions {
  loadBackends(folder: string): void;
  backendCount(): number;
  backend(index: number): BackendPointer;
  backendFunction(backend: BackendPointer, name: string): FunctionPointer | null;
}

export function bindGgml(library: LibraryHandle): GgmlFunctions {
  return {
    loadBackends: library.func("void ggml_backend_load_all_from_path(const char *folder)"),
    backendCount: library.func("size_t ggml_backend_reg_count()"),
    backend: library.func("void *ggml_backend_reg_get(size_t index)"),
    backendFunction: library.func("void *ggml_backend_reg_get_proc_address(void *backend, const char *name)"),
  };
}

export function bindLlama(library: LibraryHandle, layouts: Layouts): LlamaFunctions {
  return {
    ...bindModel(library, layouts),
    ...bindVocabulary(library),
    ...bindContext(library, layouts),
  };
}

function bindModel(library: LibraryHandle, layouts: Layouts) {
  const load = library.func("llama_model_load_from_file", "void *", ["str", layouts.modelParams]);
  const quantize = library.func("llama_model_quantize", "uint32_t", ["str", "str", "void *"]);
  return {
    version: library.func("const char *llama_version()"),
    logSet: library.func("void llama_log_set(void *callback, void *data)"),
    backendInit: library.func("void llama_backend_init()"),
    modelDefaultParams: library.func("llama_model_default_params", layouts.modelParams, []),
    contextDefaultParams: library.func("llama_context_default_params", layouts.contextParams, []),
    quantizeDefaultParams: library.func("llama_model_quantize_default_params", layouts.quantizeParams, []),
    modelLoad: load,
    modelFree: library.func("void llama_model_free(void *model)"),
    modelQuantize: quantize,
    getVocabulary: library.func("void *llama_model_get_vocab(void *model)"),
    trainedContext: library.func("int32_t llama_model_n_ctx_train(void *model)"),
    layers: library.func("int32_t llama_model_n_layer(void *model)"),
    embedding: library.func("int32_t llama_model_n_embd(void *model)"),
    heads: library.func("int32_t llama_model_n_head(void *model)"),
    kvHeads: library.func("int32_t llama_model_n_head_kv(void *model)"),
    hasEncoder: library.func("bool llama_model_has_encoder(void *model)"),
    isRecurrent: library.func("bool llama_model_is_recurrent(void *model)"),
    isHybrid: library.func("bool llama_model_is_hybrid(void *model)"),
    isDiffusion: library.func("bool llama_model_is_diffusion(void *model)"),
    metaValue: library.func(
      "int32_t llama_model_meta_val_str(void *model, const char *key, _Out_ uint8_t *buffer, size_t capacity)",
    ),
    chatTemplate: library.func("const char *llama_model_chat_template(void *model, void *name)"),
  };
}

function bindVocabulary(library: LibraryHandle) {
  return {
    vocabularySize: library.func("int32_t llama_vocab_n_tokens(void *vocabulary)"),
    vocabularyType: library.func("int32_t llama_vocab_type(void *vocabulary)"),
    tokenText: library.func("const char *llama_vocab_get_text(void *vocabulary, int32_t token)"),
    tokenAttributes: library.func("int32_t llama_vocab_get_attr(void *vocabulary, int32_t token)"),
    isEndOfGeneration: library.func("bool llama_vocab_is_eog(void *vocabulary, int32_t token)"),
    beginOfText: library.func("int32_t llama_vocab_bos(void *vocabulary)"),
    endOfText: library.func("int32_t llama_vocab_eos(void *vocabulary)"),
    addsBeginOfText: library.func("bool llama_vocab_get_add_bos(void *vocabulary)"),
    tokenize: library.func(
      "int32_t llama_tokenize(void *vocabulary, const uint8_t *text, int32_t length, _Out_ int32_t *tokens, int32_t capacity, bool addSpecial, bool parseSpecial)",
    ),
    tokenToPiece: library.func(
      "int32_t llama_token_to_piece(void *vocabulary, int32_t token, _Out_ uint8_t *buffer, int32_t capacity, int32_t leftStrip, bool special)",
    ),
  };
}

function bindContext(library: LibraryHandle, layouts: Layouts) {
  return {
    contextInit: library.func("llama_init_from_model", "void *", ["void *", layouts.contextParams]),
    contextFree: library.func("void llama_free(void *context)"),
    attachThreadpool: library.func(
      "void llama_attach_threadpool(void *context, void *decode, void *prefill)",
    ),
    setThreads: library.func("void llama_set_n_threads(void *context, int32_t decode, int32_t prefill)"),
    setAbortCallback: library.func(
      "void llama_set_abort_callback(void *context, void *callback, void *data)",
    ),
    contextSize: library.func("uint32_t llama_n_ctx(void *context)"),
    batchSize: library.func("uint32_t llama_n_batch(void *context)"),
    getMemory: library.func("void *llama_get_memory(void *context)"),
    decode: library.func("llama_decode", "int32_t", ["void *", layouts.batch]),
    logits: library.func("void *llama_get_logits_ith(void *context, int32_t row)"),
    memoryClear: library.func("void llama_memory_clear(void *memory, bool data)"),
    sequenceRemove: library.func(
      "bool llama_memory_seq_rm(void *memory, int32_t sequence, int32_t from, int32_t to)",
    ),
    sequenceCopy: library.func(
      "void llama_memory_seq_cp(void *memory, int32_t source, int32_t target, int32_t from, int32_t to)",
    ),
    sequencePositionMin: library.func("int32_t llama_memory_seq_pos_min(void *memory, int32_t sequence)"),
    sequencePositionMax: library.func("int32_t llama_memory_seq_pos_max(void *memory, int32_t sequence)"),
    stateSize: library.func("size_t llama_state_seq_get_size(void *context, int32_t sequence)"),
    stateGet: library.func(
      "size_t llama_state_seq_get_data(void *context, _Out_ uint8_t *target, size_t size, int32_t sequence)",
    ),
    stateSet: library.func(
      "size_t llama_state_seq_set_data(void *context, const uint8_t *source, size_t size, int32_t sequence)",
    ),
  };
}
