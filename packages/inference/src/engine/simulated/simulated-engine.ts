import { KvEventLog } from "../../kv/kv-event-log.ts";
import { hashBlockSize } from "../../kv/prefix-hash.ts";
import type { Clock } from "../../port/clock.ts";
import type { KvEvent } from "../../port/kv-event.ts";
import type { PrefixRef, Scope } from "../../port/prefix.ts";
import type {
  EngineInfo,
  EngineRequest,
  LoadReport,
  RetentionHint,
  Ticket,
  TokenEngine,
} from "../../port/token-engine.ts";
import type { RetentionPolicy } from "../../retention/retention-policy.ts";
import type { CostModel } from "./cost-model.ts";
import { HeldSequence } from "./held-sequence.ts";
import { HeldTree } from "./held-tree.ts";
import { LostBlocks } from "./lost-blocks.ts";
import { requestFault } from "./request-check.ts";
import { RequestRun } from "./request-run.ts";
import { RunTable } from "./run-table.ts";
import type { SimulatedVocabulary } from "./simulated-vocabulary.ts";
import { StepLoop } from "./step-loop.ts";
import { TokenChooser } from "./token-chooser.ts";

/** Everything a simulated engine is made of; all counts in tokens, durations in milliseconds. */
export interface SimulatedEngineSettings {
  readonly id: string;
  readonly seed: number;
  readonly contextLength: number;
  readonly capacity: { readonly hot: number; readonly ram: number };
  readonly cost: CostModel;
  readonly clock: Clock;
  readonly retention: RetentionPolicy;
  /** Sequences in one step. */
  readonly maxRunning: number;
  /** Prompt tokens in one step. */
  readonly chunkTokens: number;
  /** Unread events at which a request stops decoding. */
  readonly credit: number;
  /** How long an ended ticket may stay unsettled. */
  readonly leaseMs: number;
  /** How long a request waits for a prefix that another one is prefilling. */
  readonly joinMs: number;
  readonly modelHash: string;
  readonly tokenizerHash: string;
  readonly vocabulary: SimulatedVocabulary;
  readonly script: (request: EngineRequest) => Uint32Array | null;
}

/** Bytes that one parked token is said to take. */
const bytesPerToken = 1024;
const eventLogLimit = 8192;

/** A `TokenEngine` without a model: seeded tokens, stated costs, and caches, events and errors like a real one's. */
export class SimulatedEngine implements TokenEngine {
  readonly #settings: SimulatedEngineSettings;
  readonly #birth: string;
  readonly #lost = new LostBlocks();
  readonly #log: KvEventLog;
  readonly #tree: HeldTree;
  readonly #runs: RunTable;
  readonly #loop: StepLoop;
  #incarnation = 1;
  #closed = false;

  constructor(settings: SimulatedEngineSettings) {
    this.#settings = settings;
    this.#birth = settings.clock.wallClock().toString(36);
    this.#log = new KvEventLog(this.#epoch, eventLogLimit, () => this.#tree.wholeBlocks());
    this.#tree = new HeldTree(settings.capacity, settings.retention, {
      stored: (tier, parent, block) => this.#log.append({ type: "stored", tier, parent, blocks: [block] }),
      removed: (tier, block) => this.#log.append({ type: "removed", tier, blocks: [block] }),
      evicted: (hash) => this.#lost.add(hash, "base_evicted"),
    });
    this.#log.append({ type: "cleared", tier: "hot" });
    this.#runs = new RunTable(settings);
    this.#loop = new StepLoop(this.#tree, this.#runs, this.#lost, settings);
  }

  get #epoch(): string {
    return `${this.#settings.id}-${this.#birth}.${this.#incarnation}`;
  }

  info(): EngineInfo {
    const { contextLength, capacity, modelHash, tokenizerHash } = this.#settings;
    return {
      driver: "simulated",
      epoch: this.#epoch,
      model: modelHash,
      tokenizer: tokenizerHash,
      kvFormat: null,
      blockSize: hashBlockSize,
      contextLength,
      capacity: { hot: capacity.hot, ram: capacity.ram, disk: 0, remote: 0 },
      can: new Set(["constraint", "byteStops", "forced", "logprobs", "exactBase", "kvEvents", "priority"]),
    };
  }

  submit(request: EngineRequest): Ticket {
    const { clock, seed, vocabulary, script, contextLength } = this.#settings;
    const scripted = request.decode.forced === undefined ? script(request) : null;
    const run = new RequestRun(request, {
      sequence: new HeldSequence(this.#tree, request),
      chooser: new TokenChooser(request, seed, scripted, vocabulary),
      vocabulary,
      contextLength,
      order: this.#runs.nextOrder(),
      now: clock.now(),
      onPull: () => this.#loop.kick(),
    });
    const fault = requestFault(request, contextLength, vocabulary.pieces.length);
    if (this.#closed) run.fail("engine_restarting", "The engine is closing; send the request again.");
    else if (fault !== null) run.fail("invalid_request", fault);
    else this.#runs.add(run);
    this.#loop.kick();
    return this.#ticket(run);
  }

  load(): LoadReport {
    const { running, waiting } = this.#runs;
    const uncached = [...running, ...waiting].reduce((sum, run) => sum + Math.max(0, run.pending), 0);
    return {
      running: running.size,
      waiting: waiting.length,
      parked: this.#tree.parkedBranches(),
      kvTokensUsed: this.#tree.used("hot") + this.#runs.privateTokens(),
      kvTokensCapacity: this.#settings.capacity.hot,
      parkedBytes: this.#tree.used("ram") * bytesPerToken,
      parkedBytesLimit: this.#settings.capacity.ram * bytesPerToken,
      uncachedTokensWaiting: uncached,
      ...this.#loop.totals,
    };
  }

  hint(_scope: Scope, prefix: PrefixRef, hint: RetentionHint): void {
    this.#tree.hint(prefix, hint.kind);
  }

  kvEvents(from: { readonly epoch: string; readonly seq: bigint } | null): AsyncIterable<KvEvent> {
    return this.#log.read(from);
  }

  /** As if the process died and came back: running requests end with `engine_restarting`, nothing is held. */
  crash(): void {
    for (const node of this.#tree.nodes()) this.#lost.add(node.hash, "engine_restarted");
    this.#incarnation++;
    this.#runs.abandon("engine_restarting", "The engine has restarted; send the request again.");
    this.#tree.clear();
    this.#loop.restart();
    this.#log.restart(this.#epoch);
  }

  async close(drainMs: number): Promise<void> {
    this.#closed = true;
    const stop = new AbortController();
    const limit = this.#settings.clock.sleep(drainMs, stop.signal).catch(() => undefined);
    await Promise.race([this.#loop.idle(), limit]);
    stop.abort();
    this.#runs.abandon("engine_restarting", "The engine was closed before the request ended.");
    this.#loop.kick();
    this.#log.close();
  }

  #ticket(run: RequestRun): Ticket {
    return {
      events: run.events,
      cancel: () => {
        this.#runs.cancel(run);
        this.#loop.kick();
      },
      settle: (keep) => {
        this.#runs.settle(run, keep);
        this.#loop.kick();
      },
      [Symbol.asyncDispose]: async () => {
        this.#runs.detach(run);
        this.#loop.kick();
      },
    };
  }
}
