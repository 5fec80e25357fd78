import type { DecodeProgram, EngineRequest, RopeView } from "@slipstream-stack/inference";

/** A decode program with everything optional switched off: greedy, at most 16 tokens. */
export function decodeProgram(changes: Partial<DecodeProgram> = {}): DecodeProgram {
  return {
    maxTokens: 16,
    sampling: { temperature: 0, topK: 0, topP: 1, seed: null },
    stopTokens: [],
    stopBytes: [],
    constraints: [],
    speculate: "off",
    ...changes,
  };
}

/** A request for a prompt, ungated, in the scope `default`. */
export function engineRequest(prompt: RopeView, changes: Partial<EngineRequest> = {}): EngineRequest {
  return {
    id: "request",
    scope: "default",
    session: "session",
    prompt,
    decode: decodeProgram(),
    priority: 0,
    useCache: true,
    outliveClient: false,
    gated: false,
    ...changes,
  };
}
