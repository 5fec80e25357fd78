import { findTuning } from "@slipstream-stack/inference";
import type { Config } from "../config/schema.ts";
import { CliError } from "../errors.ts";
import { cacheFolder } from "../host/folders.ts";
import type { Host } from "../host/host.ts";
import { resolveModel } from "../models/resolve-model.ts";
import { describeSearch } from "../serve/describe-tuning.ts";
import { type Finding, well } from "./finding.ts";

const name = "tuning";

/** What was measured on this machine for the configured model. Nothing is measured here. */
export async function examineTuning(config: Config, host: Host, find = findTuning): Promise<Finding> {
  if (!config.tune) return well(name, "switched off: all cores, batch 512, flash attention, or what is set");
  if (config.deterministic) return well(name, "not in deterministic mode");
  if (config.engine === "simulated") return well(name, "the simulated engine needs none");
  try {
    const model = await resolveModel(cacheFolder(host), config.model, host.workingFolder);
    const search = await find(cacheFolder(host), model.path);
    return well(name, search === null ? "the first start of a server measures once" : describeSearch(search));
  } catch (error) {
    if (!CliError.isInstance(error)) throw error;
    return well(name, "after the model is there");
  }
}
