import type { DecodeProgram, EngineRequest } from "@slipstream-stack/inference";
import type { PromptPlan } from "../plan/renderer.ts";
import type { RespondDependencies } from "./dependencies.ts";
import type { ResolvedRequest } from "./resolve-request.ts";

/** What the engine is asked: token ids and a decode program, nothing of items, templates or tools. */
export function engineRequest(
  { techniques }: RespondDependencies,
  request: ResolvedRequest,
  plan: PromptPlan,
  decode: DecodeProgram,
  id: string,
): EngineRequest {
  const prefillOnly = decode.maxTokens === 0;
  return {
    id,
    scope: request.incoming.scope,
    session: request.base.anchor?.node.chain ?? id,
    prompt: plan.prompt,
    decode,
    priority: 0,
    useCache: techniques.prefixReuse,
    mayFork: techniques.fork,
    outliveClient: prefillOnly,
    gated: !prefillOnly,
  };
}
