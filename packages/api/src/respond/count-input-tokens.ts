import { callLimits } from "./call-limits.ts";
import type { RespondDependencies } from "./dependencies.ts";
import type { IncomingCreate } from "./incoming.ts";
import { planInput, resolveRequest } from "./resolve-request.ts";

/** The prompt tokens a create with this body would give the engine, generation prompt included. */
export async function countInputTokens(
  dependencies: RespondDependencies,
  incoming: IncomingCreate,
): Promise<number> {
  const request = await resolveRequest(dependencies, incoming);
  const plan = await request.runtime.renderer.plan(planInput(request), (tools) => {
    const limits = callLimits(request.settings.toolChoice, tools);
    return { forcedCall: limits.forced ? limits.allowed : null };
  });
  return plan.prompt.length;
}
