import { createWriteStream } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CliError } from "../../errors.ts";
import type { ModelSource } from "../catalogue-entry.ts";
import type { FetchedFile, FetchRequest } from "./model-fetch.ts";

type HubSource = Extract<ModelSource, { kind: "hugging-face" }>;

/** How the hub is reached; both default to the client's own. */
export interface HubPorts {
  readonly hubUrl: string | undefined;
  readonly accessToken: string | undefined;
  /** Milliseconds without a byte after which a connection counts as broken. */
  readonly stallMs: number;
  readonly attempts: number;
}

interface HubFile {
  readonly bytes: number;
  readonly sha256: string | null;
}

/**
 * Downloads a file through the hub's own client. What has arrived stays under a temporary name: a broken
 * connection, or the next pull, goes on from there as long as the hub still names the same content.
 * @throws CliError `source_unreachable`, `source_missing`
 */
export async function fetchFromHub(request: FetchRequest<HubSource>, ports: HubPorts): Promise<FetchedFile> {
  const { source, folder, progress } = request;
  const file = await askHub(request, ports);
  const path = join(folder, ".hub.partial");
  const identity = `${source.repository}@${source.revision}/${source.path} ${file.sha256} ${file.bytes}`;
  await dropForeignPartial(path, identity);
  await writeFile(`${path}.identity`, identity);
  progress.phase(`Downloading ${source.repository}`, file.bytes);
  for (let attempt = 1; ; attempt += 1) {
    try {
      await downloadRest(request, ports, path, file.bytes);
      break;
    } catch (error) {
      const full = (error as NodeJS.ErrnoException).code === "ENOSPC";
      if (full || request.signal.aborted || CliError.isInstance(error)) throw error;
      if (attempt >= ports.attempts) throw unreachable(source, error);
    }
  }
  await rm(`${path}.identity`, { force: true });
  return { path, sourceSha256: file.sha256 };
}

/** A partial file of other content must not be continued. */
async function dropForeignPartial(path: string, identity: string): Promise<void> {
  const known = await readFile(`${path}.identity`, "utf8").catch(() => null);
  if (known !== identity) await rm(path, { force: true });
}

/** Size and SHA-256 from the hub's metadata (the id of an LFS object is its SHA-256). */
async function askHub({ source, signal }: FetchRequest<HubSource>, ports: HubPorts): Promise<HubFile> {
  const { HubApiError, pathsInfo } = await import("@huggingface/hub");
  try {
    const [found] = await pathsInfo({
      ...hubOptions(ports, guardedFetch(signal, ports.stallMs)),
      repo: { type: "model", name: source.repository },
      revision: source.revision,
      paths: [source.path],
    });
    if (found === undefined) throw missing(source);
    return { bytes: found.lfs?.size ?? found.size, sha256: found.lfs?.oid ?? null };
  } catch (error) {
    if (signal.aborted || CliError.isInstance(error)) throw error;
    if (error instanceof HubApiError && [401, 403, 404].includes(error.statusCode))
      throw missing(source, error);
    throw unreachable(source, error);
  }
}

async function downloadRest(
  { source, signal, progress }: FetchRequest<HubSource>,
  ports: HubPorts,
  path: string,
  totalBytes: number,
): Promise<void> {
  const { downloadFile } = await import("@huggingface/hub");
  let done = (await stat(path).catch(() => null))?.size ?? 0;
  if (done > totalBytes) {
    await rm(path);
    done = 0;
  }
  progress.bytes(done);
  if (done === totalBytes) return;
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new Error(`no byte for ${ports.stallMs} ms`)), ports.stallMs);
  const either = AbortSignal.any([signal, stalled.signal]);
  try {
    const blob = await downloadFile({
      ...hubOptions(ports, guardedFetch(either, ports.stallMs)),
      repo: { type: "model", name: source.repository },
      revision: source.revision,
      path: source.path,
      xet: false,
    });
    if (blob === null) throw missing(source);
    const count = async function* (chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        timer.refresh();
        done += chunk.length;
        progress.bytes(done);
        yield chunk;
      }
    };
    const body = Readable.fromWeb(blob.slice(done, totalBytes).stream());
    await pipeline(body, count, createWriteStream(path, { flags: "a" }), { signal: either });
  } finally {
    clearTimeout(timer);
  }
  if (done !== totalBytes) throw new Error(`connection ended after ${done} of ${totalBytes} bytes`);
}

function hubOptions({ hubUrl, accessToken }: HubPorts, guarded: typeof fetch) {
  return {
    fetch: guarded,
    ...(hubUrl === undefined ? {} : { hubUrl }),
    ...(accessToken === undefined ? {} : { accessToken }),
  };
}

/** The client streams any answer to a range request into the blob, an error page too: refuse all but 206 here. */
function guardedFetch(signal: AbortSignal, answerMs: number): typeof fetch {
  return async (input, init) => {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error(`no answer for ${answerMs} ms`)), answerMs);
    try {
      const response = await fetch(input, { ...init, signal: AbortSignal.any([signal, late.signal]) });
      const range = new Headers(init?.headers).get("range");
      if (range !== null && response.ok && response.status !== 206) {
        throw new Error("the hub ignored a range request");
      }
      if (range !== null && range !== "bytes=0-0" && !response.ok)
        throw new Error(`the hub answered ${response.status}`);
      return response;
    } finally {
      clearTimeout(timer);
    }
  };
}

function missing(source: HubSource, cause?: unknown): CliError {
  const name = `${source.repository}/${source.path}`;
  const message = `The model hub does not give out ${name} at revision ${source.revision}. If it is gated, set HF_TOKEN.`;
  return new CliError("source_missing", message, cause);
}

function unreachable(source: HubSource, cause: unknown): CliError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `${source.repository} could not be downloaded (${reason}). Check the network and pull again: it goes on where it stopped.`;
  return new CliError("source_unreachable", message, cause);
}
