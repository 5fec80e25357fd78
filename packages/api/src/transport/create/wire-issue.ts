import { WireError } from "@slipstream-stack/protocol";

/** The part of a zod issue that is used here; unions carry the issues of each branch. */
export interface SchemaIssue {
  readonly code?: string | undefined;
  readonly message: string;
  readonly path: readonly PropertyKey[];
  readonly errors?: readonly (readonly SchemaIssue[])[];
}

/** A path as OpenAI writes it: `input[0].content`. */
function paramPath(path: readonly PropertyKey[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else text += text === "" ? String(step) : `.${String(step)}`;
  }
  return text;
}

/** The issue that says most: in a union, the one of the branch that got furthest into the value. */
function deepest(issue: SchemaIssue, prefix: readonly PropertyKey[]): SchemaIssue {
  const path = [...prefix, ...issue.path];
  let best: SchemaIssue = { ...issue, path };
  for (const branch of issue.errors ?? []) {
    const first = branch[0];
    if (first === undefined) continue;
    const candidate = deepest(first, path);
    if (candidate.path.length > best.path.length) best = candidate;
  }
  return best;
}

/**
 * The wire error of a failed validation: `invalid_value` with the path of the first fault as `param`.
 *
 * @param prefix where the validated value stands in the request
 */
export function issueError(issues: readonly SchemaIssue[], prefix: readonly PropertyKey[] = []): WireError {
  const [first] = issues;
  if (first === undefined) return new WireError("invalid_value", "The request is not valid.");
  const issue = deepest(first, prefix);
  const param = paramPath(issue.path);
  return new WireError("invalid_value", `Invalid value for "${param}": ${issue.message}`, { param });
}
