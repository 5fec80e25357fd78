import type { ConstraintSource } from "../../port/decode-program.ts";
import { toByteLevelText } from "./byte-level-text.ts";
import type { BeginMessage, ConstraintMessage, ConstraintSetup } from "./constraint-message.ts";
import { openingsRecipe, plainRecipe } from "./grammar-recipe.ts";
import { GrammarRefused } from "./grammar-refused.ts";
import { GrammarStore } from "./grammar-store.ts";
import { unpackVocabulary } from "./packed-vocabulary.ts";
import { SharedAnswer } from "./shared-answer.ts";
import { SharedHealth } from "./shared-health.ts";
import { StretchRun, type StretchTools } from "./stretch-run.ts";
import { TokenMask } from "./token-mask.ts";
import { Utf8Guard } from "./utf8-guard.ts";
import { ValueLimits } from "./value-limits.ts";
import type { XInstance } from "./xgrammar-library.ts";

type Afterwards = BeginMessage["afterwards"];
type AcceptMessage = Extract<ConstraintMessage, { kind: "accept" }>;

interface Session {
  readonly answer: SharedAnswer;
  readonly afterwards: Afterwards;
  readonly run: StretchRun;
}

/** A `begin` with its source looked up at arrival, before it can be forgotten. */
type Work = { readonly begin: BeginMessage; readonly source: ConstraintSource | undefined } | AcceptMessage;

async function toolsOf(
  setup: ConstraintSetup,
  instance: XInstance,
  health: SharedHealth,
): Promise<StretchTools> {
  const vocabulary = unpackVocabulary(setup.vocabulary);
  const { pieces, endOfGeneration } = vocabulary;
  const ends = new Set(endOfGeneration);
  const { TokenizerInfo, GrammarCompiler } = instance.library;
  // A token without text is one the library never admits inside a grammar.
  const texts = pieces.map((piece, id) => (ends.has(id) ? "" : toByteLevelText(piece)));
  const info = await TokenizerInfo.createTokenizerInfo(texts, "byte_level", false, texts.length, [...ends]);
  const compiler = await GrammarCompiler.createGrammarCompiler(info, false);
  const { maxCompiled, maxCompiledBytes, refused } = setup;
  const compiling = (key: string) => health.compiling.set(key);
  const store = new GrammarStore({ instance, compiler, maxCompiled, maxCompiledBytes, refused, compiling });
  const mask = new TokenMask(vocabulary);
  return { store, mask, limits: new ValueLimits(vocabulary), utf8: new Utf8Guard(pieces), pieces };
}

/**
 * The grammar side of a `ConstraintHost`: takes its messages in order, one at a time, and answers through shared
 * memory. What sessions wait for goes before what is compiled ahead. After an abort of the WebAssembly instance it
 * answers the session concerned and then nothing more: its host starts another thread.
 */
export class ConstraintServer {
  readonly #instance: XInstance;
  readonly #health: SharedHealth;
  readonly #memoryLimit: number;
  readonly #tools: Promise<StretchTools>;
  readonly #ends: ReadonlySet<number>;
  readonly #sources = new Map<number, ConstraintSource>();
  readonly #sessions = new Map<number, Session>();
  readonly #ahead: ConstraintSource[] = [];
  #work: Work[] = [];
  #busy = false;

  constructor(setup: ConstraintSetup, instance: XInstance) {
    this.#instance = instance;
    this.#health = new SharedHealth(setup.health);
    this.#memoryLimit = setup.maxCompiledBytes * 2;
    this.#ends = new Set(setup.vocabulary.endOfGeneration);
    this.#tools = toolsOf(setup, instance, this.#health);
    this.#tools.catch((error) => this.#poison(error));
  }

  receive(message: ConstraintMessage): void {
    if (message.kind === "define") this.#sources.set(message.source, message.value);
    else if (message.kind === "forget") this.#sources.delete(message.source);
    else if (message.kind === "end") this.#end(message.session);
    else if (message.kind === "begin") {
      this.#work.push({ begin: message, source: this.#sources.get(message.source) });
    } else if (message.kind === "accept") this.#work.push(message);
    else {
      const source = this.#sources.get(message.source);
      if (source !== undefined) this.#ahead.push(source);
    }
    if (!this.#busy) void this.#run();
  }

  async #run(): Promise<void> {
    this.#busy = true;
    while (this.#health.health !== "poisoned") {
      const work = this.#work.shift();
      const ahead = work === undefined ? this.#ahead.shift() : undefined;
      if (work !== undefined) await this.#perform(work);
      else if (ahead !== undefined) await this.#prepare(ahead);
      else break;
    }
    this.#busy = false;
  }

  async #perform(work: Work): Promise<void> {
    const session = "begin" in work ? work.begin.session : work.session;
    const question = "begin" in work ? work.begin.question : work.question;
    const answer =
      "begin" in work ? new SharedAnswer(work.begin.answer) : this.#sessions.get(session)?.answer;
    try {
      if ("begin" in work) await this.#begin(work.begin, work.source);
      else await this.#accept(work);
    } catch (error) {
      const reason = error instanceof GrammarRefused ? error.message : this.#poison(error);
      this.#end(session);
      answer?.answer(question, "failed", reason);
    }
    if (this.#instance.memoryBytes() > this.#memoryLimit) this.#health.worsen("bloated");
  }

  async #begin(message: BeginMessage, source: ConstraintSource | undefined): Promise<void> {
    const { session, question, afterwards, last } = message;
    const answer = new SharedAnswer(message.answer);
    if (source === undefined) throw new GrammarRefused("The grammar is not known here.");
    const run = await StretchRun.begin(await this.#tools, source, message.head);
    if (run === null) {
      answer.answer(question, "not_taken");
      return;
    }
    this.#sessions.set(session, { answer, afterwards, run });
    for (const token of message.tokens) {
      if (!(await run.accept(token))) throw new GrammarRefused("The text so far does not fit its grammar.");
    }
    if (last === null) await this.#look(session, question);
    else await this.#accept({ kind: "accept", session, question, token: last });
  }

  async #accept({ session, question, token }: AcceptMessage): Promise<void> {
    const entry = this.#sessions.get(session);
    if (entry === undefined) return;
    if (await entry.run.accept(token)) {
      if (!this.#ends.has(token)) return this.#look(session, question);
      this.#end(session);
      return entry.answer.answer(question, "complete");
    }
    const { end } = await entry.run.look(new Uint32Array(entry.answer.mask.length));
    if (!end || entry.afterwards === "stop") throw new GrammarRefused("A token does not fit the grammar.");
    this.#end(session);
    entry.answer.answer(question, "not_taken");
  }

  async #look(session: number, question: number): Promise<void> {
    const entry = this.#sessions.get(session);
    if (entry === undefined) return;
    const { text, end } = await entry.run.look(entry.answer.mask);
    if (!text && !end) throw new GrammarRefused("No token of the vocabulary goes on as the grammar demands.");
    if (text) return entry.answer.answer(question, end && entry.afterwards === "free" ? "may_end" : "masked");
    this.#end(session);
    entry.answer.answer(question, "complete");
  }

  #end(session: number): void {
    this.#work = this.#work.filter((work) => ("begin" in work ? work.begin : work).session !== session);
    this.#sessions.get(session)?.run.dispose();
    this.#sessions.delete(session);
  }

  /** Compiles what a session would wait for first, then lets messages in. */
  async #prepare(source: ConstraintSource): Promise<void> {
    try {
      const { store } = await this.#tools;
      await store.prepare(source.kind === "named_json" ? openingsRecipe(source) : plainRecipe(source));
    } catch (error) {
      if (!(error instanceof GrammarRefused)) this.#poison(error);
    }
    await new Promise((resume) => setImmediate(resume));
  }

  #poison(error: unknown): string {
    const said = this.#instance.lastComplaint();
    const reason = said !== "" ? said : error instanceof Error ? error.message : String(error);
    this.#health.reason.set(reason);
    this.#health.worsen("poisoned");
    return reason;
  }
}
