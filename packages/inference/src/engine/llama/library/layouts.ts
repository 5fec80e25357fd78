import koffi, { type TypeObject } from "koffi";

/** The C structures of llama.cpp v0.4.0 (`include/llama.h`, `ggml/include/ggml.h`), fields in order. */
export interface Layouts {
  readonly modelParams: TypeObject;
  readonly contextParams: TypeObject;
  readonly batch: TypeObject;
  readonly threadpoolParams: TypeObject;
  readonly quantizeParams: TypeObject;
}

/** Describes the structures to koffi. Anonymous, so that it may run more than once in a thread. */
export function describeLayouts(): Layouts {
  return {
    modelParams: koffi.struct(modelParamsFields),
    contextParams: koffi.struct(contextParamsFields),
    batch: koffi.struct(batchFields),
    threadpoolParams: koffi.struct(threadpoolParamsFields),
    quantizeParams: koffi.struct(quantizeParamsFields),
  };
}

/** Bytes of each structure, taken from C. */
export const layoutSizes: Readonly<Record<keyof Layouts, number>> = {
  modelParams: 80,
  contextParams: 160,
  batch: 56,
  threadpoolParams: 528,
  quantizeParams: 64,
};

const modelParamsFields = {
  devices: "void *",
  tensor_buft_overrides: "void *",
  n_gpu_layers: "int32_t",
  split_mode: "int32_t",
  load_mode: "int32_t",
  lazy_mode: "int32_t",
  main_gpu: "int32_t",
  tensor_split: "void *",
  progress_callback: "void *",
  progress_callback_user_data: "void *",
  kv_overrides: "void *",
  vocab_only: "bool",
  check_tensors: "bool",
  use_extra_bufts: "bool",
  no_host: "bool",
  no_alloc: "bool",
  load_mtp: "bool",
};

const contextParamsFields = {
  n_ctx: "uint32_t",
  n_batch: "uint32_t",
  n_ubatch: "uint32_t",
  n_seq_max: "uint32_t",
  n_rs_seq: "uint32_t",
  n_outputs_max: "uint32_t",
  n_outputs_max_per_seq: "uint32_t",
  n_threads: "int32_t",
  n_threads_batch: "int32_t",
  ctx_type: "int32_t",
  rope_scaling_type: "int32_t",
  pooling_type: "int32_t",
  attention_type: "int32_t",
  flash_attn_type: "int32_t",
  rope_freq_base: "float",
  rope_freq_scale: "float",
  yarn_ext_factor: "float",
  yarn_attn_factor: "float",
  yarn_beta_fast: "float",
  yarn_beta_slow: "float",
  yarn_orig_ctx: "uint32_t",
  defrag_thold: "float",
  cb_eval: "void *",
  cb_eval_user_data: "void *",
  type_k: "int32_t",
  type_v: "int32_t",
  abort_callback: "void *",
  abort_callback_data: "void *",
  embeddings: "bool",
  offload_kqv: "bool",
  no_perf: "bool",
  op_offload: "bool",
  swa_full: "bool",
  kv_unified: "bool",
  samplers: "void *",
  n_samplers: "size_t",
  ctx_other: "void *",
};

const batchFields = {
  n_tokens: "int32_t",
  token: "void *",
  embd: "void *",
  pos: "void *",
  n_seq_id: "void *",
  seq_id: "void *",
  logits: "void *",
};

const threadpoolParamsFields = {
  cpumask: koffi.array("bool", 512),
  n_threads: "int32_t",
  prio: "int32_t",
  poll: "uint32_t",
  strict_cpu: "bool",
  paused: "bool",
};

const quantizeParamsFields = {
  nthread: "int32_t",
  ftype: "int32_t",
  output_tensor_type: "int32_t",
  token_embedding_type: "int32_t",
  allow_requantize: "bool",
  quantize_output_tensor: "bool",
  only_copy: "bool",
  pure: "bool",
  keep_split: "bool",
  dry_run: "bool",
  imatrix: "void *",
  kv_overrides: "void *",
  tt_overrides: "void *",
  prune_layers: "void *",
  max_buf_size: "size_t",
};
