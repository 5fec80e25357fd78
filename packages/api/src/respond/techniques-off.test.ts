import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Item, type LapRecord, toolSchema } from "@slipstream-stack/protocol";
import { type Answered, allTechniques, pipeline } from "./testing/pipeline.ts";

const laps = 4;
const user = (content: string): Item => ({ type: "message", role: "user", content });
const shell = toolSchema.parse({
  type: "function",
  name: "shell",
  description: "Runs a command.",
  parameters: { type: "object", properties: { cmd: { type: "string" } }, required: ["cmd"] },
});

interface Session {
  readonly prompts: readonly number[][];
  readonly laps: readonly LapRecord[];
}

/** A conversation with a call and its result each lap, chained by id or resent whole, seeded. */
async function converse(off: Partial<typeof allTechniques>, how: "id" | "resend"): Promise<Session> {
  const server = await pipeline({ techniques: { ...allTechniques, ...off } });
  try {
    let news: Item[] = [user("begin")];
    const history: Item[] = [];
    let last: Answered | null = null;
    const records: LapRecord[] = [];
    for (let lap = 0; lap < laps; lap += 1) {
      const chained = how === "id" && last !== null ? { previous_response_id: last.response.id } : {};
      last = await server.create({
        ...chained,
        input: how === "id" ? news : [...history, ...news],
        instructions: "Answer with calls of the tool.",
        tools: [shell],
        tool_choice: "required",
      });
      assert.ok(last.lap !== undefined);
      records.push(last.lap);
      history.push(...news, ...last.response.output);
      const calls = last.response.output.filter(({ type }) => type === "function_call");
      news = calls.map((call) => ({
        type: "function_call_output",
        call_id: String((call as { call_id?: unknown }).call_id),
        output: `result ${lap}`,
      })) as Item[];
    }
    return { prompts: server.prompts.map((prompt) => [...prompt]), laps: records };
  } finally {
    await server.close();
  }
}

const lastLap = ({ laps }: Session): LapRecord => laps.at(-1) as LapRecord;

describe("techniques switched off", () => {
  for (const how of ["id", "resend"] as const) {
    it(`without incremental rendering all of it is rendered, and the prompt is the same (${how})`, async () => {
      const on = await converse({}, how);
      const off = await converse({ incrementalRender: false }, how);
      assert.deepEqual(off.prompts, on.prompts);
      const items = off.laps.map((lap) => lap.work.rendered_items);
      assert.ok(items.every((count, lap) => lap === 0 || count > (items[lap - 1] ?? 0)));
      assert.ok(lastLap(on).work.rendered_items <= 2);
      assert.equal(lastLap(off).work.tokenized_tokens, lastLap(on).work.tokenized_tokens);
      assert.equal(lastLap(off).cause, null);
    });

    it(`without incremental tokenizing the whole prompt is tokenized and the lap says so (${how})`, async () => {
      const on = await converse({}, how);
      const off = await converse({ incrementalTokenize: false }, how);
      assert.deepEqual(off.prompts[0], on.prompts[0]);
      const [first, ...later] = off.laps;
      assert.equal(first?.cause, on.laps[0]?.cause);
      for (const lap of later) {
        assert.equal(lap.cause, "reencoded");
        assert.equal(lap.continuation, how === "id" ? "id" : "lineage");
        assert.ok(lap.work.tokenized_tokens > lap.tokens.prompt * 0.6);
        assert.equal(lap.items.reused, 0);
      }
      assert.ok(lastLap(on).work.tokenized_tokens < lastLap(off).work.tokenized_tokens / 4);
    });
  }

  it("with both off, and with chains off too, the prompt is that of tokenizing anew", async () => {
    const anew = await converse({ incrementalTokenize: false }, "id");
    const both = await converse({ incrementalTokenize: false, incrementalRender: false }, "id");
    const resent = await converse({ incrementalTokenize: false, lineage: false }, "resend");
    const none = await converse({ ...nothing, websocket: true }, "resend");
    for (const session of [both, resent, none]) assert.deepEqual(session.prompts, anew.prompts);
    assert.ok(none.laps.every((lap) => lap.tokens.cached === 0 && lap.cause === "reuse_off"));
  });
});

it("without forks a session goes on where it ended, and shares its head with no other", async () => {
  const cachedBy = async (fork: boolean): Promise<number[]> => {
    const server = await pipeline({ techniques: { ...allTechniques, fork } });
    try {
      const instructions = "Answer in one word. ".repeat(20);
      const first = await server.create({ input: [user("one")], instructions });
      const other = await server.create({ input: [user("two")], instructions });
      const next = await server.create({
        ...{ input: [user("more")], instructions },
        previous_response_id: first.response.id,
      });
      return [other, next].map(({ lap }) => lap?.tokens.cached ?? -1);
    } finally {
      await server.close();
    }
  };
  const [sharedHead = 0, continued = 0] = await cachedBy(true);
  assert.ok(sharedHead > 40 && continued > sharedHead);
  assert.deepEqual(await cachedBy(false), [0, continued]);
});

const nothing = Object.fromEntries(Object.keys(allTechniques).map((name) => [name, false]));
