import type { RespondDependencies } from "./dependencies.ts";
import type { Emit } from "./incoming.ts";
import type { PlannedAnswer } from "./plan-answer.ts";
import type { ResolvedRequest } from "./resolve-request.ts";
import type { ResponseHeader } from "./response-object.ts";

/** One answer on its way: what was asked, what was planned, and when. Times in monotonic milliseconds. */
export interface Answer {
  readonly dependencies: RespondDependencies;
  readonly request: ResolvedRequest;
  readonly planned: PlannedAnswer;
  readonly header: ResponseHeader;
  readonly emit: Emit;
  readonly startedAt: number;
  readonly renderedAt: number;
}
