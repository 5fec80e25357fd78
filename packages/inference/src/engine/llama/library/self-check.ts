import koffi from "koffi";
import { InferenceError } from "../../../errors.ts";
import type { LlamaFunctions } from "./functions.ts";
import { type Layouts, layoutSizes } from "./layouts.ts";

const llamaVersion = "0.4.0-dev";

type Expected = Readonly<Record<string, unknown>>;

const modelDefaults: Expected = {
  n_gpu_layers: -1,
  split_mode: 1,
  vocab_only: false,
  use_extra_bufts: true,
};

const contextDefaults: Expected = {
  n_ctx: 512,
  n_batch: 2048,
  n_ubatch: 512,
  n_seq_max: 1,
  rope_scaling_type: -1,
  pooling_type: -1,
  attention_type: -1,
  flash_attn_type: -1,
  yarn_ext_factor: -1,
  type_k: 1,
  type_v: 1,
  embeddings: false,
  offload_kqv: true,
  no_perf: true,
  op_offload: true,
  swa_full: true,
  kv_unified: false,
};

const quantizeDefaults: Expected = { allow_requantize: false, quantize_output_tensor: true, pure: false };

/** The names of fields whose value is not the expected one. */
export function differingFields(actual: Expected, expected: Expected): string[] {
  return Object.keys(expected).filter((name) => actual[name] !== expected[name]);
}

/**
 * Holds our layouts against the loaded library: the sizes we describe, and defaults that come out wrong when a
 * field has moved. Throws `InferenceError` `library_mismatch`.
 */
export function checkLayouts(llama: LlamaFunctions, layouts: Layouts): void {
  const wrong: string[] = [];
  for (const name of Object.keys(layoutSizes) as (keyof Layouts)[]) {
    if (koffi.sizeof(layouts[name]) !== layoutSizes[name]) wrong.push(`size of ${name}`);
  }
  if (llama.version() !== llamaVersion) wrong.push(`version ${llama.version()}`);
  wrong.push(...differingFields(llama.modelDefaultParams(), modelDefaults));
  wrong.push(...differingFields(llama.contextDefaultParams(), contextDefaults));
  wrong.push(...differingFields(llama.quantizeDefaultParams(), quantizeDefaults));
  if (wrong.length > 0) {
    throw new InferenceError(
      "library_mismatch",
      `The llama.cpp library is not the one these bindings describe (${wrong.join(", ")}): install from the lock file.`,
    );
  }
}
