import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Item, JsonObject } from "@slipstream-stack/protocol";
import { seededRandom } from "@slipstream-stack/testkit";
import { callTrajectory, lookUpTool, nextItems, userItem } from "../support/agent-script.ts";
import {
  type Observation,
  type ObservedServer,
  observedServer,
  openRealModel,
  openSimulatedModel,
} from "../support/observed-server.ts";
import { resentItem } from "../support/resend.ts";
import { type Answer, httpClient, type ResponsesClient, socketClient } from "../support/responses-client.ts";

const laps = 30;
const share = 0.99;

interface Session {
  readonly server: ObservedServer;
  readonly settings: JsonObject;
  readonly store: boolean;
  /** Called before each request: over a socket, a new one. */
  readonly connect: () => Promise<ResponsesClient>;
}

/** One lap that stood: what was asked, and what the engine saw and gave. */
interface Standing {
  readonly answer: Answer;
  readonly seen: Observation;
}

/**
 * Runs a session in which every request carries the whole history in the client's own form, and holds each to what
 * chaining would have cost. With a store the same continuation is asked for by id too, afterwards, so that it
 * cannot have helped.
 */
async function runSession({ server, settings, store, connect }: Session): Promise<number> {
  const random = seededRandom(3);
  const history: Item[] = [];
  let fresh: Item[] = [userItem("Look every entry up, one after the other.")];
  let last: Standing | null = null;
  let compared = 0;
  for (let lap = 0; lap < laps; lap += 1) {
    using client = await connect();
    const input = [...history.map((item) => resentItem(item, random)), ...fresh];
    const answer = await client.create({ ...settings, model: server.model, input: input as never, store });
    const seen = server.observed(answer.response.id);
    if (last !== null) {
      requireIncrement(server, last, { answer, seen }, fresh.length, lap);
      if (store) {
        const chained = await client.create({
          ...settings,
          ...{ model: server.model, input: fresh as never, store: false, max_output_tokens: 1 },
          previous_response_id: last.answer.response.id,
        });
        assert.deepEqual(server.observed(chained.response.id).prompt, seen.prompt, `prompt of lap ${lap}`);
        compared += 1;
      }
    }
    if (seen.forced !== null) assert.deepEqual(seen.ids, [...seen.forced], `forced ids of lap ${lap}`);
    history.push(...fresh, ...answer.response.output);
    fresh = nextItems(answer.response.output, lap);
    last = { answer, seen };
  }
  return compared;
}

function requireIncrement(
  server: ObservedServer,
  last: Standing,
  next: Standing,
  newItems: number,
  index: number,
): void {
  const before = [...last.seen.prompt, ...last.seen.output];
  const prompt = [...next.seen.prompt];
  assert.deepEqual(prompt.slice(0, before.length), before, `lap ${index} begins with all tokens of the last`);
  const lap = server.lap(next.answer.response.id);
  assert.equal(lap.continuation, "lineage");
  assert.equal(lap.cause, null);
  assert.ok(lap.work.rendered_items <= newItems, `lap ${index} rendered ${lap.work.rendered_items} items`);
  const newTokens = prompt.length - before.length;
  assert.ok(
    lap.work.tokenized_tokens <= newTokens,
    `lap ${index}: ${lap.work.tokenized_tokens} > ${newTokens}`,
  );
  const least = share * last.seen.prompt.length;
  assert.ok(
    lap.tokens.cached >= least,
    `lap ${index}: ${lap.tokens.cached} of ${last.seen.prompt.length} cached`,
  );
  assert.equal(lap.tokens.evaluated, prompt.length - lap.tokens.cached + next.seen.ids.length - 1);
}

const overHttp = (server: ObservedServer) => async () => httpClient(server.root);
const overSocket = (server: ObservedServer) => () => socketClient(server.root);
const base: JsonObject = { instructions: "You look words up.", tools: [lookUpTool as never] };

describe("full resend on the simulated engine", () => {
  const kinds = [
    { name: "over HTTP", connect: overHttp, store: true },
    { name: "after a reconnect", connect: overSocket, store: true },
    { name: "after a reconnect, nothing stored", connect: overSocket, store: false },
  ];
  for (const { name, connect, store } of kinds) {
    for (const encoding of ["canonical", "split"] as const) {
      test(`${name}, ${encoding} tokenization`, async () => {
        const lines = callTrajectory(laps);
        await using server = await observedServer(openSimulatedModel(), { lines, encoding });
        const compared = await runSession({ server, settings: base, store, connect: connect(server) });
        assert.equal(compared, store ? laps - 1 : 0);
      });
    }
    for (const choice of ["required", "none"] as const) {
      test(`${name}, sampled at temperature 1, tool_choice ${choice}`, async () => {
        await using server = await observedServer(openSimulatedModel());
        const settings = { ...base, temperature: 1, tool_choice: choice };
        await runSession({ server, settings, store, connect: connect(server) });
      });
    }
  }

  test("split ids are another tokenization of the same text, and take more tokens", async () => {
    const counts = await Promise.all(
      (["canonical", "split"] as const).map(async (encoding) => {
        await using server = await observedServer(openSimulatedModel(), {
          lines: callTrajectory(1),
          encoding,
        });
        const answer = await httpClient(server.root).create({ ...base, model: server.model, input: "Go." });
        return { output: answer.response.output, tokens: server.observed(answer.response.id).ids.length };
      }),
    );
    const [canonical, split] = counts;
    const plain = (output: readonly Item[]) => output.map((item) => [item.type, item["arguments"]]);
    assert.deepEqual(plain(split!.output), plain(canonical!.output));
    assert.ok(split!.tokens > canonical!.tokens);
  });
});

describe("full resend on the embedded model", () => {
  test("split tokenization over HTTP, and text sampled at temperature 1 after reconnects", async () => {
    await using model = await openRealModel();
    {
      await using server = await observedServer(model.served, {
        lines: callTrajectory(laps),
        encoding: "split",
      });
      const session = { server, settings: base, store: true, connect: overHttp(server) };
      assert.equal(await runSession(session), laps - 1);
    }
    await using server = await observedServer(model.served);
    const settings = { ...base, temperature: 1, tool_choice: "none", max_output_tokens: 12 };
    await runSession({ server, settings, store: true, connect: overSocket(server) });
  });
});
