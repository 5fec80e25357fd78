import { callLimits } from "./call-limits.ts";
import type { RespondDependencies } from "./dependencies.ts";
import type { IncomingCreate } from "./incoming.ts";
import { planPrompt } from "./plan-prompt.ts";
import { resolveRequest } from "./resolve-request.ts";

/** The prompt tokens a create with this body would give the engine, generation prompt included. */
export async function countInputTokens(
  dependencies: RespondDependencies,
  incoming: IncomingCreate,
): Promise<number> {
  const request = await resolveRequest(dependencies, incoming);
  const { runtime, base, settings } = request;
  const { dialect } = runtime;
  if (dialect.kind === "whole") return 0;
  const plan = await planPrompt(dialect, runtime.encoder, base.prompt, base.toRender, (state) => {
    const limits = callLimits(settings.toolChoice, dialect.tools(state));
    return { forcedCall: limits.forced ? limits.allowed : null };
  });
  return plan.prompt.length;
}
