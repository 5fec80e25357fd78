import { z } from "zod";

const onByDefault = z.boolean().default(true);

/** Every technique can be switched off, alone or with others (architecture, law 9). */
const techniquesSchema = z.strictObject({
  websocket: onByDefault,
  delta: onByDefault,
  prewarm: onByDefault,
  settings_inheritance: onByDefault,
  chain: onByDefault,
  lineage: onByDefault,
  incremental_render: onByDefault,
  incremental_tokenize: onByDefault,
  prefix_reuse: onByDefault,
  fork: onByDefault,
});

/** The one definition of what can be configured: keys, types and defaults. Null means: chosen at start. */
export const configSchema = z.strictObject({
  host: z.string().min(1).default("127.0.0.1"),
  port: z.int().min(0).max(65_535).default(4141),
  model: z.string().min(1).default("smollm2-135m-instruct"),
  engine: z.enum(["llama", "simulated"]).default("llama"),
  /** Path of a trajectory file: the model is made to write what it says. */
  teacher_forcing: z.string().nullable().default(null),
  /** How forced text becomes ids: as the tokenizer would write it, or split into single bytes, as sampling may. */
  teacher_forcing_encoding: z.enum(["canonical", "split"]).default("canonical"),
  /** Path of the database of stored responses; `:memory:` keeps them in this process only. */
  store: z.string().nullable().default(null),
  /** File with one bearer key a line; without it only loopback addresses are served. */
  keys_file: z.string().nullable().default(null),
  allowed_origins: z.array(z.string()).default([]),
  allowed_hosts: z.array(z.string()).default([]),
  /** Cells of the engine's KV cache: tokens of all sequences that are resident. */
  context_tokens: z.int().min(256).nullable().default(null),
  /** Sequences resident at once. */
  max_sequences: z.int().min(1).max(256).nullable().default(null),
  /** Threads, batch and flash attention are chosen by measuring this machine once; what is set here stands. */
  tune: z.boolean().default(true),
  prefill_threads: z.int().min(1).nullable().default(null),
  decode_threads: z.int().min(1).nullable().default(null),
  /** Tokens evaluated in one step at most. */
  batch_tokens: z.int().min(32).nullable().default(null),
  flash_attention: z.boolean().nullable().default(null),
  /** Bytes of RAM for idle sequences that gave up their cells. */
  parked_bytes: z.int().min(0).nullable().default(null),
  /** Same tokens on every run: flash attention and batching off (architecture, law 8). */
  deterministic: z.boolean().default(false),
  log_level: z.enum(["debug", "info", "warn", "error", "silent"]).default("info"),
  techniques: z.preprocess((value) => value ?? {}, techniquesSchema),
});

/** A whole configuration. */
export type Config = z.infer<typeof configSchema>;
