import { setImmediate } from "node:timers/promises";
import { openDatabase } from "../sql/open-database.ts";
import { readChain } from "../sql/read-chain.ts";
import { readInputItems } from "../sql/read-input-items.ts";
import { readLap, readResponse } from "../sql/read-response.ts";
import { removeResponse, sweepResponses } from "../sql/remove-response.ts";
import type { StoreDatabase } from "../sql/schema.ts";
import { commitGroup } from "./commit-group.ts";
import { failureOf } from "./failure.ts";
import type { StoreCallMessage, StoreCalls, StoreOperation, StoreReplyMessage } from "./protocol.ts";

/** Writes of one group at most, so that the first of them does not wait for a flood. */
const groupLimit = 128;

type CommitMessage = Extract<StoreCallMessage, { operation: "commit" }>;
type Result = StoreCalls[StoreOperation]["result"];

async function perform(database: StoreDatabase, message: StoreCallMessage): Promise<Result> {
  switch (message.operation) {
    case "response": {
      const { scope, id, now } = message.request;
      return readResponse(database, scope, id, now);
    }
    case "chain": {
      const { scope, id, part, now } = message.request;
      return readChain(database, scope, id, now, part);
    }
    case "inputItems": {
      const { scope, id, page, now } = message.request;
      return readInputItems(database, scope, id, page, now);
    }
    case "lap": {
      const { scope, id, now } = message.request;
      return readLap(database, scope, id, now);
    }
    case "remove": {
      const { scope, id, now } = message.request;
      return removeResponse(database, scope, id, now);
    }
    case "sweep":
      return sweepResponses(database, message.request.now, message.request.limit);
    default:
      throw new RangeError(`The store has no operation '${message.operation}' here.`);
  }
}

/**
 * The store's thread: does calls in the order they came. Commits that stand next to each other in the queue
 * become one group; while a group is synced, the next one gathers.
 */
export class StoreService {
  readonly #reply: (message: StoreReplyMessage) => void;
  readonly #queue: StoreCallMessage[] = [];
  #database: StoreDatabase | null = null;
  #running = false;

  constructor(reply: (message: StoreReplyMessage) => void) {
    this.#reply = reply;
  }

  receive(message: StoreCallMessage): void {
    this.#queue.push(message);
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    for (;;) {
      // One turn of the event loop delivers every message that has arrived meanwhile.
      await setImmediate();
      const next = this.#queue[0];
      if (next === undefined) break;
      if (next.operation === "commit") await this.#commitGroup();
      else await this.#single(next);
    }
    this.#running = false;
  }

  async #commitGroup(): Promise<void> {
    const other = this.#queue.findIndex((message) => message.operation !== "commit");
    const count = Math.min(other === -1 ? this.#queue.length : other, groupLimit);
    const group = this.#queue.splice(0, count) as CommitMessage[];
    const database = this.#database;
    if (database === null) {
      for (const { call } of group) this.#fail(call, new Error("The store is not open."));
      return;
    }
    const settled = await commitGroup(
      database,
      group.map((message) => message.request),
    );
    for (const [index, message] of group.entries()) {
      const entry = settled[index];
      if (entry === undefined) this.#fail(message.call, new Error("The commit was not answered."));
      else if ("failure" in entry) this.#reply({ call: message.call, failure: entry.failure });
      else this.#reply({ call: message.call, result: entry.outcome });
    }
  }

  async #single(message: StoreCallMessage): Promise<void> {
    this.#queue.shift();
    try {
      this.#reply({ call: message.call, result: await this.#answer(message) });
    } catch (error) {
      this.#fail(message.call, error);
    }
  }

  async #answer(message: StoreCallMessage): Promise<Result> {
    if (message.operation === "open") {
      this.#database = await openDatabase(message.request);
      return null;
    }
    if (this.#database === null) throw new Error("The store is not open.");
    if (message.operation !== "close") return perform(this.#database, message);
    await this.#database.destroy();
    this.#database = null;
    return null;
  }

  #fail(call: number, error: unknown): void {
    this.#reply({ call, failure: failureOf(error) });
  }
}
