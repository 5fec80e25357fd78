import type { JsonValue } from "@slipstream-stack/protocol";
import { TransportError } from "../../errors.ts";
import { buildRequest } from "../../request/build-request.ts";
import type { ModelCall, ModelTransport, TransportEvent } from "../model-transport.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { readWireError, readWireEvent } from "../wire-event.ts";
import { answerEvents, type ScriptedAnswer } from "./wire-script.ts";

/** Plays a script without a wire. For tests. */
export class MemoryTransport implements ModelTransport {
  readonly kind = "memory";
  readonly calls: ModelCall[] = [];
  readonly #script: ScriptedAnswer[];

  constructor(script: readonly ScriptedAnswer[]) {
    this.#script = [...script];
  }

  async *respond(call: ModelCall, signal: AbortSignal): AsyncGenerator<TransportEvent> {
    signal.throwIfAborted();
    const id = `resp_${this.calls.push(call)}`;
    const plan = { kind: "full", reason: "first_request", changed: null } as const;
    const { bytes, itemBytes, items } = buildRequest({ ...call, plan, form: "body", generate: true });
    yield {
      type: "sent",
      transport: this.kind,
      mode: "full",
      reason: "first_request",
      bytes,
      itemBytes,
      items,
    };
    const answer = this.#script.shift() ?? {};
    const { fault } = answer;
    if (fault?.kind === "error") {
      const body = { error: { code: fault.code, message: fault.code } };
      throw readWireError(body, fault.status, fault.headers);
    }
    if (fault?.kind === "garbage") throw new TransportError("protocol", "garbage");
    const events = answerEvents(id, answer, null) as JsonValue[];
    for (const value of events.slice(0, fault?.afterEvents ?? events.length)) {
      const event = readWireEvent(value);
      if (event !== null) yield event;
    }
    if (fault?.kind === "drop") throw new TransportError("broken", "dropped");
    if (fault?.kind === "hang") await unlessAborted(new Promise<never>(() => {}), signal);
  }

  async warmUp(): Promise<void> {}

  async close(): Promise<void> {}
}
