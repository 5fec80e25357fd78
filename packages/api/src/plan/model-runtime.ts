import { createHash } from "node:crypto";
import type { EngineInfo, Hash, ServedModel, Vocabulary } from "@slipstream-stack/inference";
import { canonicalJson, type JsonValue } from "@slipstream-stack/protocol";
import { LRUCache } from "lru-cache";
import type { HeadNode } from "../chain/chain-node.ts";
import { rootLineage } from "../chain/lineage.ts";
import type { Dialect, HeadSettings } from "../render/dialect.ts";
import { Rope } from "../rope/rope.ts";
import type { Renderer } from "./renderer.ts";
import { SegmentEncoder } from "./segment-encoder.ts";
import { StepRenderer } from "./step-renderer.ts";
import { nothingRendered, WholeRenderer } from "./whole-renderer.ts";

/** A served model as the API uses it: its dialect, its vocabulary, and the heads rendered for it so far. */
export class ModelRuntime {
  readonly model: ServedModel;
  readonly dialect: Dialect;
  readonly vocabulary: Vocabulary;
  readonly encoder: SegmentEncoder;
  readonly renderer: Renderer;
  /** The token ids that end an output: first those the dialect names, then the vocabulary's own. */
  readonly stopTokens: readonly number[];
  /** Renderer and tokenizer: what a token sequence depends on besides the conversation. */
  readonly fingerprint: Hash;
  readonly #heads = new LRUCache<string, Promise<HeadNode>>({ max: 256 });

  constructor(model: ServedModel, dialect: Dialect, vocabulary: Vocabulary) {
    this.model = model;
    this.dialect = dialect;
    this.vocabulary = vocabulary;
    this.encoder = new SegmentEncoder(model.tokenizer, vocabulary);
    this.renderer =
      dialect.kind === "whole"
        ? new WholeRenderer(dialect, this.encoder, vocabulary)
        : new StepRenderer(dialect, this.encoder);
    this.stopTokens = stopTokens(dialect, vocabulary);
    this.fingerprint = shortHash("renderer", dialect.fingerprint, model.tokenizer.fingerprint);
  }

  get id(): string {
    return this.model.description.id;
  }

  info(): EngineInfo {
    return this.model.engine.info();
  }

  /** The rendered and tokenized head, made once per scope and content. */
  head(root: Hash, settings: HeadSettings): Promise<HeadNode> {
    const hash = headHash(settings);
    const key = `${root}\0${hash}`;
    const before = this.#heads.get(key);
    if (before !== undefined) return before;
    const made = this.#makeHead(root, hash, settings, true).then(({ head }) => head);
    this.#heads.set(key, made);
    made.catch(() => this.#heads.delete(key));
    return made;
  }

  /** The same head rendered and tokenized once more, with the number of tokens that took. */
  headAnew(root: Hash, settings: HeadSettings): Promise<{ head: HeadNode; tokenized: number }> {
    return this.#makeHead(root, headHash(settings), settings, false);
  }

  async #makeHead(
    root: Hash,
    hash: Hash,
    settings: HeadSettings,
    remembering: boolean,
  ): Promise<{ head: HeadNode; tokenized: number }> {
    const rendered = this.dialect.kind === "whole" ? wholeHead : this.dialect.head(settings);
    const groups = [[...rendered.glue, ...rendered.item]];
    const { ids, tokenized } = await this.encoder.encode(groups, remembering);
    const { beginOfText, addBeginOfText } = this.vocabulary;
    const begin = addBeginOfText && beginOfText !== null ? [Uint32Array.of(beginOfText)] : [];
    const segments = [...begin, ...ids].map((part) => ({ kind: "head" as const, ids: part, item: null }));
    const rope = Rope.empty(root).append(segments);
    const lineage = rootLineage(root, hash, this.fingerprint);
    return { head: { hash, rope, state: rendered.state, lineage }, tokenized };
  }
}

/** A whole template has no head of its own: settings and items are rendered together. */
const wholeHead = { glue: [], item: [], state: nothingRendered };

const headHashes = new WeakMap<HeadSettings, Hash>();

/** Hash of what is rendered of the settings; remembered by object, since settings are shared between laps. */
function headHash(settings: HeadSettings): Hash {
  const before = headHashes.get(settings);
  if (before !== undefined) return before;
  const tools = settings.tools.map((tool) => [
    tool.renderedName,
    tool.kind,
    tool.description,
    tool.parameters as JsonValue,
  ]);
  const hash = shortHash("head", canonicalJson([settings.instructions, tools as JsonValue]));
  headHashes.set(settings, hash);
  return hash;
}

function shortHash(...parts: readonly string[]): Hash {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part).update("\0");
  return hash.digest("hex").slice(0, 32);
}

function stopTokens(dialect: Dialect, vocabulary: Vocabulary): number[] {
  const named = [...vocabulary.structural].filter(([, text]) => dialect.stops.includes(text));
  return [...new Set([...named.map(([id]) => id), ...vocabulary.endOfGeneration])];
}
