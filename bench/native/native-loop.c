/*
 * The bound that the engine is held against: the same library, model and batch shapes, driven by a plain C loop.
 * Usage: native-loop LIBRARY_FOLDER MODEL CONTEXT BATCH THREADS. Then one command per line on stdin, one answer
 * per line on stdout, in milliseconds:
 *   prefill TOKENS              evaluates a prompt in chunks of BATCH and picks its first token
 *   decode SEQUENCES PROMPT STEPS   steps of one token for every sequence, prompts and first tokens not counted
 * Declarations follow llama.cpp v0.4.0; sizes and default values are checked before anything runs.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct model_params {
  void *devices, *buffer_overrides;
  int32_t gpu_layers, split_mode, load_mode, lazy_mode, main_gpu;
  const float *tensor_split;
  void *progress, *progress_data, *overrides;
  bool vocab_only, check_tensors, extra_buffers, no_host, no_alloc, load_mtp;
};
struct context_params {
  uint32_t context, batch, micro_batch, sequences, recurrent, outputs, outputs_per_sequence;
  int32_t threads, batch_threads, kind, rope_scaling, pooling, attention, flash_attention;
  float rope_base, rope_scale, yarn_extension, yarn_attention, yarn_fast, yarn_slow;
  uint32_t yarn_context;
  float defragmentation;
  void *evaluation, *evaluation_data;
  int32_t key_type, value_type;
  void *abort, *abort_data;
  bool embeddings, offload, no_perf, operation_offload, full_window, unified;
  void *samplers;
  size_t sampler_count;
  void *other;
};
struct batch {
  int32_t count, *token;
  float *embedding;
  int32_t *position, *sequence_count, **sequence;
  int8_t *output;
};
struct pool_params {
  bool mask[512];
  int32_t threads, priority;
  uint32_t poll;
  bool strict, paused;
};
_Static_assert(sizeof(struct model_params) == 80, "model parameters");
_Static_assert(sizeof(struct context_params) == 160, "context parameters");
_Static_assert(sizeof(struct batch) == 56, "batch");
_Static_assert(sizeof(struct pool_params) == 528, "thread pool parameters");

void ggml_backend_load_all_from_path(const char *);
size_t ggml_backend_reg_count(void);
void *ggml_backend_reg_get(size_t);
void *ggml_backend_reg_get_proc_address(void *, const char *);
void llama_log_set(void *, void *);
void llama_backend_init(void);
struct model_params llama_model_default_params(void);
struct context_params llama_context_default_params(void);
void *llama_model_load_from_file(const char *, struct model_params);
void *llama_init_from_model(void *, struct context_params);
void llama_attach_threadpool(void *, void *, void *);
void *llama_get_memory(void *);
void llama_memory_clear(void *, bool);
const void *llama_model_get_vocab(void *);
int32_t llama_vocab_n_tokens(const void *);
int32_t llama_decode(void *, struct batch);
float *llama_get_logits_ith(void *, int32_t);

static void *context, *memory;
static int32_t vocabulary, capacity;
static struct batch rows;

static void die(const char *why) { fprintf(stderr, "native-loop: %s\n", why); exit(1); }
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}
static void add(int32_t token, int32_t position, int32_t sequence, bool output) {
  int32_t row = rows.count++;
  rows.token[row] = token;
  rows.position[row] = position;
  *rows.sequence[row] = sequence;
  rows.output[row] = output;
}
static void evaluate(void) { if (llama_decode(context, rows) != 0) die("decode failed"); }
static int32_t best(int32_t row) {
  const float *logits = llama_get_logits_ith(context, row);
  int32_t top = 0;
  for (int32_t id = 1; id < vocabulary; id++) if (logits[id] > logits[top]) top = id;
  return top;
}
static int32_t prompt_token(int32_t position, int32_t sequence) {
  return 100 + (int32_t)((position * 7919u + sequence * 104729u) % 40000u);
}
static void quiet(int level, const char *text, void *data) { (void)level, (void)text, (void)data; }

static double prefill(int32_t tokens) {
  llama_memory_clear(memory, false);
  double start = now();
  for (int32_t done = 0; done < tokens;) {
    rows.count = 0;
    while (rows.count < capacity && done < tokens) {
      add(prompt_token(done, 0), done, 0, done + 1 == tokens);
      done++;
    }
    evaluate();
  }
  best(rows.count - 1);
  return now() - start;
}
static double decode(int32_t sequences, int32_t prompt, int32_t steps) {
  int32_t next[64];
  if (sequences > 64 || sequences * prompt > capacity) die("too many sequences");
  llama_memory_clear(memory, false);
  rows.count = 0;
  for (int32_t s = 0; s < sequences; s++)
    for (int32_t p = 0; p < prompt; p++) add(prompt_token(p, s), p, s, p + 1 == prompt);
  evaluate();
  for (int32_t s = 0; s < sequences; s++) next[s] = best((s + 1) * prompt - 1);
  double start = now();
  for (int32_t step = 0; step < steps; step++) {
    rows.count = 0;
    for (int32_t s = 0; s < sequences; s++) add(next[s], prompt + step, s, true);
    evaluate();
    for (int32_t s = 0; s < sequences; s++) next[s] = best(s);
  }
  return now() - start;
}
static void *make_pool(int32_t threads) {
  struct pool_params params = {.threads = threads, .poll = 2};
  for (size_t index = 0; index < ggml_backend_reg_count(); index++) {
    void *(*make)(struct pool_params *) =
        (void *(*)(struct pool_params *))ggml_backend_reg_get_proc_address(ggml_backend_reg_get(index), "ggml_threadpool_new");
    if (make) return make(&params);
  }
  die("no thread pool");
  return NULL;
}

int main(int count, char **arguments) {
  if (count != 6) die("wrong arguments");
  int32_t threads = atoi(arguments[5]);
  capacity = atoi(arguments[4]);
  llama_log_set((void *)quiet, NULL);
  ggml_backend_load_all_from_path(arguments[1]);
  llama_backend_init();
  struct context_params params = llama_context_default_params();
  if (params.context != 512 || params.batch != 2048 || params.sequences != 1 || params.key_type != 1 ||
      !params.full_window || params.unified) die("another layout of the context parameters");
  params.context = atoi(arguments[3]);
  params.batch = params.micro_batch = capacity;
  params.sequences = params.outputs = 64;
  params.threads = params.batch_threads = threads;
  params.flash_attention = 1;
  params.unified = true;
  void *model = llama_model_load_from_file(arguments[2], llama_model_default_params());
  if (!model || !(context = llama_init_from_model(model, params))) die("the model does not load");
  void *pool = make_pool(threads);
  llama_attach_threadpool(context, pool, pool);
  memory = llama_get_memory(context);
  vocabulary = llama_vocab_n_tokens(llama_model_get_vocab(model));
  rows = (struct batch){.token = calloc(capacity, 4), .position = calloc(capacity, 4), .output = calloc(capacity, 1),
                        .sequence_count = calloc(capacity, 4), .sequence = calloc(capacity + 1, sizeof(int32_t *))};
  for (int32_t row = 0; row < capacity; row++) {
    rows.sequence_count[row] = 1;
    rows.sequence[row] = calloc(1, sizeof(int32_t));
  }
  char line[256];
  int32_t a, b, c;
  printf("ready\n");
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (sscanf(line, "prefill %d", &a) == 1) printf("%.4f\n", prefill(a));
    else if (sscanf(line, "decode %d %d %d", &a, &b, &c) == 3) printf("%.4f\n", decode(a, b, c));
    else die("unknown command");
    fflush(stdout);
  }
  return 0;
}
