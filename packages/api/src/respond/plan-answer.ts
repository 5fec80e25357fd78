import type { DecodeProgram } from "@slipstream-stack/inference";
import type { PromptPlan } from "../plan/renderer.ts";
import type { PromptSettings } from "../render/dialect.ts";
import type { RenderedTool } from "../render/rendered-tool.ts";
import { answerConstraints, type CallLimits } from "../render/tool-constraint.ts";
import { splitTokens } from "../teacher-forcing/forced-tokens.ts";
import type { ForcedOutput } from "../teacher-forcing/trajectory.ts";
import { callLimits } from "./call-limits.ts";
import { decodeProgram } from "./decode-program.ts";
import type { RespondDependencies } from "./dependencies.ts";
import { planInput, type ResolvedRequest } from "./resolve-request.ts";

/** An answer ready to be submitted. */
export interface PlannedAnswer {
  readonly plan: PromptPlan;
  readonly program: DecodeProgram;
  readonly prompt: PromptSettings;
  /** Tools whose calls the parser recognises. */
  readonly callable: readonly RenderedTool[];
  readonly forced: ForcedOutput | null;
}

/**
 * Renders, tokenizes and bounds an answer. A teacher-forced one has no forced call prefix and no constraints:
 * what is written is given.
 * @throws WireError context_length_exceeded, invalid_value (tool_choice), trajectory_mismatch, trajectory_exhausted.
 */
export async function planAnswer(
  dependencies: RespondDependencies,
  request: ResolvedRequest,
): Promise<PlannedAnswer> {
  const { base, settings, runtime } = request;
  const forced = dependencies.teacher?.forcing.next(base.anchor, base.toRender) ?? null;
  let limits: CallLimits = { allowed: [], forced: false };
  let prompt: PromptSettings = { forcedCall: null };
  const plan = await runtime.renderer.plan(planInput(request), (tools) => {
    limits = forced === null ? callLimits(settings.toolChoice, tools) : { allowed: tools, forced: false };
    prompt = { forcedCall: limits.forced ? limits.allowed : null };
    return prompt;
  });
  const room = { promptTokens: plan.prompt.length, contextLength: runtime.info().contextLength };
  const constraints = answerConstraints(runtime.dialect.callSyntax, limits, settings);
  const ids = forced === null ? null : await forcedIds(dependencies, request, plan, forced);
  const program = decodeProgram(runtime, settings, room, constraints, ids);
  return { plan, program, prompt, callable: limits.allowed, forced };
}

/** The ids a forced output is made of, its stop token included. */
async function forcedIds(
  { teacher }: RespondDependencies,
  { runtime }: ResolvedRequest,
  plan: PromptPlan,
  forced: ForcedOutput,
): Promise<Uint32Array> {
  const text = plan.writing(forced.map(({ item }) => item));
  const { ids } = await runtime.encoder.encode([text]);
  const canonical = ids[0] ?? new Uint32Array(0);
  const written = teacher?.encoding === "split" ? splitTokens(canonical, runtime.vocabulary) : canonical;
  const stop = runtime.stopTokens[0];
  return stop === undefined ? written : Uint32Array.of(...written, stop);
}
