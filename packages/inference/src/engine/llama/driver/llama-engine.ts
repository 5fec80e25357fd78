import { hashBlockSize } from "../../../kv/prefix-hash.ts";
import type { KvEvent } from "../../../port/kv-event.ts";
import type { PrefixRef, Scope } from "../../../port/prefix.ts";
import type {
  EngineInfo,
  EngineRequest,
  LoadReport,
  RetentionHint,
  Ticket,
  TokenEngine,
} from "../../../port/token-engine.ts";
import type { ChildIdentity, ToChild, ToParent } from "../../wire/messages.ts";
import { BelievedPrefixes } from "./believed-prefixes.ts";
import { KvMirror } from "./kv-mirror.ts";
import { creditWindow, LlamaTicket } from "./llama-ticket.ts";

interface OpenTicket {
  readonly request: EngineRequest;
  readonly ticket: LlamaTicket;
  readonly from: number;
}

/** Sends a message to the running child; false while there is none. */
export type SendToChild = (message: ToChild) => boolean;

/** The parent's end of the engine: knows requests and beliefs, holds no state of the model. */
export class LlamaEngine implements TokenEngine {
  readonly #send: SendToChild;
  readonly #close: () => Promise<void>;
  readonly #mirror: KvMirror;
  readonly #believed: BelievedPrefixes;
  readonly #tickets = new Map<number, OpenTicket>();
  readonly #parkedBytesLimit: number;
  #identity: ChildIdentity;
  #load: LoadReport;
  #lastId = 0;
  #closed = false;

  constructor(identity: ChildIdentity, parkedBytes: number, send: SendToChild, close: () => Promise<void>) {
    this.#identity = identity;
    this.#parkedBytesLimit = parkedBytes;
    this.#send = send;
    this.#close = close;
    this.#mirror = new KvMirror(identity.epoch);
    this.#believed = new BelievedPrefixes(this.#mirror);
    this.#load = this.#emptyLoad();
  }

  info(): EngineInfo {
    const { epoch, model, tokenizer, kvFormat, contextLength, hotTokens, ramTokens } = this.#identity;
    return {
      driver: "llama",
      epoch,
      model,
      tokenizer,
      kvFormat,
      blockSize: hashBlockSize,
      contextLength,
      capacity: { hot: hotTokens, ram: ramTokens, disk: 0, remote: 0 },
      can: new Set(["constraint", "byteStops", "forced", "logprobs", "exactBase", "kvEvents", "priority"]),
    };
  }

  submit(request: EngineRequest): Ticket {
    this.#lastId += 1;
    const id = this.#lastId;
    const ticket = new LlamaTicket(
      {
        cancel: () => this.#send({ type: "cancel", id }),
        credit: (count) => this.#send({ type: "credit", id, count }),
        settle: (keep) => this.#send({ type: "settle", id, keep }),
        release: () => this.#send({ type: "release", id }),
      },
      request.deadlineMs,
    );
    if (this.#closed) {
      ticket.fail("engine_restarting", "The engine is closed: try another.", true);
      return ticket;
    }
    const refs = request.useCache ? this.#believed.of(request.prompt) : [];
    const from = refs[0]?.length ?? 0;
    this.#tickets.set(id, { request, ticket, from });
    const sent = this.#send({
      type: "submit",
      id,
      root: request.prompt.root,
      refs,
      from,
      tail: request.prompt.slice(from),
      decode: request.decode,
      priority: request.priority,
      useCache: request.useCache,
      mayFork: request.mayFork ?? true,
      outliveClient: request.outliveClient,
      gated: request.gated,
      retain: request.retain ?? null,
      credit: creditWindow,
    });
    if (sent) {
      if (request.useCache) this.#believed.add(request.prompt.tip);
    } else {
      this.#tickets.delete(id);
      ticket.fail("engine_restarting", "The engine is restarting: try again.", true);
    }
    return ticket;
  }

  load(): LoadReport {
    return this.#load;
  }

  hint(_scope: Scope, prefix: PrefixRef, hint: RetentionHint): void {
    this.#send({ type: "hint", prefix, kind: hint.kind });
  }

  kvEvents(from: { readonly epoch: string; readonly seq: bigint } | null): AsyncIterable<KvEvent> {
    return this.#mirror.listen(from);
  }

  async close(drainMs: number): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#drained(drainMs);
    await this.#close();
    this.childEnded("The engine was closed before the request ended: try again.");
    this.#mirror.close();
  }

  /** Takes what the child sends, save what belongs to the tokenizer. */
  receive(message: ToParent): void {
    if (message.type === "have") this.#sendMissing(message.id, message.length);
    if (message.type !== "step") return;
    this.#load = message.load;
    this.#mirror.apply(message.blocks);
    for (const [id, event] of message.events) {
      const open = this.#tickets.get(id);
      if (open === undefined) continue;
      if (event.type === "end" && event.held !== null) this.#believed.add(event.held);
      if (event.type === "end" || event.type === "error") this.#tickets.delete(id);
      open.ticket.receive(event);
    }
  }

  /** A child has started: everything held before is gone. */
  childStarted(identity: ChildIdentity): void {
    if (identity.epoch === this.#identity.epoch) return;
    this.#identity = identity;
    this.#load = this.#emptyLoad();
    this.#mirror.restart(identity.epoch);
  }

  /** The child has gone: every open ticket ends. */
  childEnded(message: string): void {
    this.#believed.clear();
    for (const { ticket } of this.#tickets.values()) ticket.fail("engine_restarting", message, true);
    this.#tickets.clear();
  }

  #sendMissing(id: number, length: number): void {
    const open = this.#tickets.get(id);
    if (open === undefined) return;
    this.#send({ type: "missing", id, ids: open.request.prompt.slice(length, open.from) });
  }

  async #drained(milliseconds: number): Promise<void> {
    const until = performance.now() + milliseconds;
    while (this.#tickets.size > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const { ticket } of this.#tickets.values()) ticket.cancel();
  }

  #emptyLoad(): LoadReport {
    return {
      running: 0,
      waiting: 0,
      parked: 0,
      kvTokensUsed: 0,
      kvTokensCapacity: this.#identity.hotTokens,
      parkedBytes: 0,
      parkedBytesLimit: this.#parkedBytesLimit,
      uncachedTokensWaiting: 0,
      tokensPrefilled: 0,
      tokensDecoded: 0,
      steps: 0,
    };
  }
}
