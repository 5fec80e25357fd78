import { isDeepStrictEqual } from "node:util";
import type { ResponseObject } from "@slipstream-stack/protocol";
import { httpClient } from "../responses-client.ts";
import type { ChainWriter, Kept } from "./chain-writer.ts";

/** Everything that a server has to know again, and does not. */
export type Fault = string;

/** Holds a server to what clients saw completed: each response is there, whole, and can be continued. */
export async function checkKept(root: string, writer: ChainWriter, kept: readonly Kept[]): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const response of kept) {
    faults.push(...(await checkStored(root, response)));
    faults.push(...(await checkContinues(root, writer, response.id)));
  }
  return faults;
}

/** A response of which no end was seen may be there or not, but never in part. */
export async function checkBegun(
  root: string,
  writer: ChainWriter,
  ids: readonly string[],
): Promise<Fault[]> {
  const faults: Fault[] = [];
  for (const id of ids) {
    const reply = await fetch(`${root}/v1/responses/${id}`);
    const body = (await reply.json()) as ResponseObject;
    if (reply.status === 404) continue;
    const isWhole = reply.status === 200 && body.status === "completed" && body.output.length > 0;
    if (!isWhole) faults.push(`${id} is there in part: ${reply.status} ${body.status}`);
    else faults.push(...(await checkContinues(root, writer, id)));
  }
  return faults;
}

/** Whether a response is there as a client saw it. */
export async function checkStored(root: string, kept: Kept): Promise<Fault[]> {
  const reply = await fetch(`${root}/v1/responses/${kept.id}`);
  const body = (await reply.json()) as ResponseObject;
  if (reply.status !== 200) return [`${kept.id} is lost: ${reply.status}`];
  const isSame =
    body.status === "completed" &&
    body.previous_response_id === kept.previous &&
    isDeepStrictEqual(body.output, kept.output);
  if (!isSame) return [`${kept.id} has changed: ${JSON.stringify(body)}`];
  const items = await (await fetch(`${root}/v1/responses/${kept.id}/input_items?order=desc&limit=1`)).text();
  return items.includes(kept.input) ? [] : [`${kept.id} has lost its input`];
}

async function checkContinues(root: string, writer: ChainWriter, id: string): Promise<Fault[]> {
  try {
    const body = { ...writer.continuation(id, "Go on."), store: false };
    const { response } = await httpClient(root).create(body);
    return response.status === "completed" ? [] : [`${id} continues as ${response.status}`];
  } catch (error) {
    return [`${id} cannot be continued: ${String(error)}`];
  }
}
