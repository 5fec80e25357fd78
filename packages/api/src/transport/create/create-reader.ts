import { WireError } from "@slipstream-stack/protocol";
import type { TransportLimits } from "../limits.ts";
import type { CreateOffload } from "./offload.ts";
import {
  assembleParts,
  decodeText,
  type Frame,
  type FrameHead,
  type FrameMode,
  type KeyedSettings,
  type ParsedCreate,
  readFrame,
} from "./read-create.ts";

/** A body as its transport takes it: a checked create, a refused one, or a message of another type. */
export interface ReadBody {
  readonly head: FrameHead;
  readonly content: Exclude<Frame["content"], { kind: "create" }> | { kind: "create"; create: ParsedCreate };
}

/**
 * Reads the bodies of one connection, in order. It remembers the last settings, so that settings resent
 * unchanged cost a hash of their bytes.
 */
export class CreateReader {
  readonly #limits: TransportLimits;
  readonly #offload: CreateOffload;
  readonly #mode: FrameMode;
  #last: KeyedSettings | null = null;

  constructor(limits: TransportLimits, offload: CreateOffload, mode: FrameMode) {
    this.#limits = limits;
    this.#offload = offload;
    this.#mode = mode;
  }

  /**
   * Parses and checks a body; a large one in a worker thread.
   *
   * @throws WireError where the body is no JSON object
   */
  async read(bytes: Uint8Array): Promise<ReadBody> {
    const { head, content } =
      bytes.length > this.#limits.inlineParseBytes
        ? await this.#offload.read(bytes, this.#mode, this.#limits)
        : readFrame(decodeText(bytes), this.#mode, this.#last, this.#limits);
    if (content.kind !== "create") return { head, content };
    const { keyed } = content.parts;
    const last = this.#last;
    this.#last = last?.key === keyed.key && last.inherits === keyed.inherits ? last : keyed;
    return { head, content: assemble({ ...content.parts, keyed: this.#last }) };
  }
}

function assemble(parts: Parameters<typeof assembleParts>[0]): ReadBody["content"] {
  try {
    return { kind: "create", create: assembleParts(parts) };
  } catch (error) {
    if (WireError.isInstance(error)) return { kind: "refused", error };
    throw error;
  }
}
