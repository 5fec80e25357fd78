import { inspectLibrary } from "@slipstream-stack/inference";
import { type Finding, problem, well } from "./finding.ts";

/** llama.cpp and its binding. */
export async function examineLibrary(inspect = inspectLibrary): Promise<Finding> {
  const { isUsable, detail } = await inspect();
  if (isUsable) return well("library", detail);
  return problem("library", detail, "Run npm ci, or serve with --engine simulated.");
}
