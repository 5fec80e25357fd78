import { cp, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const scenario = fileURLToPath(new URL("./scenario", import.meta.url));

/** Path of the recorded answers that the model is made to write. */
export const trajectoryPath = fileURLToPath(new URL("./trajectory.jsonl", import.meta.url));

/** The task as a person would give it. */
export const demoTask =
  "The report counts orders it should not count, and its order is wrong. Find out why, fix it, and run the test.";

/** A fresh copy of the scripted project in a scratch folder. */
export async function createDemoFolder(
  temporaryFolder: string,
): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(temporaryFolder, "slipstream-demo-"));
  await cp(scenario, path, { recursive: true });
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
