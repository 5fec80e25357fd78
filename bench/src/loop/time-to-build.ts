import { buildRequest, freezeSettings, HistoryLog, planSend } from "@slipstream-stack/harness";
import type { Item } from "@slipstream-stack/protocol";
import { generateText, seededRandom } from "@slipstream-stack/testkit";
import { alternatePairs, type PairedFigures } from "../measure/alternate-pairs.ts";

/** A history of so many items and about so many bytes, and what building its next request takes. */
export interface BuildOptions {
  readonly items: number;
  readonly bytes: number;
  readonly pairs: number;
  readonly now: () => number;
}

/**
 * Milliseconds to build the next chained request (first), against what agents without cached bytes do: compare
 * the history with the one sent last, then serialise all of it (second).
 */
export async function timeToBuild({
  items,
  bytes,
  pairs,
  now,
}: BuildOptions): Promise<PairedFigures<number>> {
  const settings = freezeSettings({ settings: { model: "bench" }, store: false });
  const log = new HistoryLog(Array.from({ length: items }, (_, index) => item(index, bytes / items)));
  const lastInput = log.view().last;
  const sent = structuredClone(log.items());
  const answer = item(items, 100);
  log.append([answer, item(items + 1, 100)]);
  const acknowledged = {
    responseId: "resp_0123456789abcdef",
    settings,
    lastInput,
    received: [answer],
    warmUp: false,
    settingsFingerprint: "0123456789abcdef",
  };
  const timed = (build: () => number) => async (): Promise<number> => {
    const started = now();
    build();
    return now() - started;
  };
  return alternatePairs(
    {
      first: timed(() => {
        const history = log.view();
        const plan = planSend(acknowledged, settings, history);
        return buildRequest({ settings, history, plan, form: "frame", generate: true }).bytes;
      }),
      second: timed(() => {
        const input = log.items();
        const kept = sent.every((old, index) => JSON.stringify(old) === JSON.stringify(input[index]));
        return JSON.stringify({ type: "response.create", model: "bench", input }).length + Number(kept);
      }),
    },
    pairs,
    10,
  );
}

function item(seed: number, bytes: number): Item {
  const random = seededRandom(seed);
  let text = "";
  while (Buffer.byteLength(text) < bytes) text += `${generateText(random)} `;
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}
