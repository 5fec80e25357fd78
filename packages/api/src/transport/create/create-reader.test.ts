import assert from "node:assert/strict";
import { test } from "node:test";
import { WireError } from "@slipstream-stack/protocol";
import { defaultLimits } from "../limits.ts";
import { createCounters } from "./counters.ts";
import { CreateReader, type ReadBody } from "./create-reader.ts";
import { CreateOffload } from "./offload.ts";
import type { ParsedCreate } from "./read-create.ts";

const tools = Array.from({ length: 40 }, (_, index) => ({
  type: "function",
  name: `tool_${index}`,
  description: "x".repeat(200),
  parameters: { type: "object", properties: { a: { type: "string" } } },
}));
const settings = { model: "m", instructions: "be brief", tools, parallel_tool_calls: true };
const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));

function created(body: ReadBody): ParsedCreate {
  assert.equal(body.content.kind, "create");
  return (body.content as { create: ParsedCreate }).create;
}

async function withReader(
  run: (reader: CreateReader, offload: CreateOffload) => Promise<void>,
  mode: "message" | "create" = "create",
): Promise<void> {
  const offload = new CreateOffload();
  try {
    await run(new CreateReader(defaultLimits, offload, mode), offload);
  } finally {
    await offload.close();
  }
}

test("settings that come again are neither parsed nor checked, and are the same object", () =>
  withReader(async (reader) => {
    const first = created(await reader.read(bytes({ ...settings, input: "one" })));
    const before = { ...createCounters };
    // The same members in another order, around other request members.
    const again = {
      input: "two",
      store: false,
      parallel_tool_calls: true,
      tools,
      instructions: "be brief",
      model: "m",
    };
    const second = created(
      await reader.read(bytes({ ...again, previous_response_id: "resp_1", stream: true })),
    );
    assert.equal(second.keyed.settings, first.keyed.settings);
    assert.equal(second.request.tools, first.request.tools);
    assert.equal(second.keyed.key, first.keyed.key);
    assert.equal(createCounters.settingsValidated, before.settingsValidated);
    assert.ok(
      createCounters.jsonParsed - before.jsonParsed < 120,
      "only the request's own members were parsed",
    );
    assert.equal(createCounters.itemsValidated - before.itemsValidated, 1);
  }));

test("work per chained body follows its new items over a thousand of them", () =>
  withReader(async (reader) => {
    await reader.read(bytes({ ...settings, input: "start" }));
    const costs: number[] = [];
    for (let lap = 0; lap < 1000; lap += 1) {
      const before = createCounters.jsonParsed + createCounters.itemsValidated;
      const input = [{ type: "function_call_output", call_id: `call_${1000 + lap}`, output: "ok" }];
      await reader.read(bytes({ ...settings, input, previous_response_id: `resp_${1000 + lap}` }));
      costs.push(createCounters.jsonParsed + createCounters.itemsValidated - before);
    }
    assert.equal(new Set(costs).size, 1, "every lap costs the same");
    assert.ok((costs[0] ?? 0) < 250);
  }));

test("settings that differ are read anew", () =>
  withReader(async (reader) => {
    const first = created(await reader.read(bytes({ ...settings, input: "a" })));
    const second = created(await reader.read(bytes({ ...settings, temperature: 0, input: "a" })));
    assert.notEqual(second.keyed.key, first.keyed.key);
    assert.equal(second.request.temperature, 0);
    assert.equal(first.request.temperature, undefined);
  }));

test("settings that were enough to inherit with are not enough without", () =>
  withReader(async (reader) => {
    const inheriting = { tools, input: "a", slipstream_settings: "fingerprint" };
    assert.equal(created(await reader.read(bytes(inheriting))).inherit, "fingerprint");
    const refused = await reader.read(bytes({ tools, input: "a" }));
    assert.equal(refused.content.kind, "refused");
    const { error } = refused.content as { error: WireError };
    assert.deepEqual([error.code, error.param], ["missing_required_parameter", "model"]);
  }));

test("a large body is read in a worker, with the same result and the same refusals", () =>
  withReader(async (reader) => {
    const input = Array.from({ length: 3000 }, (_, index) => ({
      type: "message",
      role: "user",
      content: `${index} ${"y".repeat(500)}`,
    }));
    const body = bytes({ ...settings, input });
    assert.ok(body.length > defaultLimits.inlineParseBytes);
    const broken = Buffer.concat([body, Buffer.from("x")]);
    const before = { ...createCounters };
    const large = created(await reader.read(body));
    assert.deepEqual(createCounters, before, "nothing was parsed in this thread");
    assert.deepEqual(large.request.input, input);
    const chained = created(await reader.read(bytes({ ...settings, input: "next" })));
    assert.equal(chained.keyed.settings, large.keyed.settings, "its settings are reused inline");
    const again = created(await reader.read(bytes({ ...settings, input: "z".repeat(400_000) })));
    assert.equal(
      again.keyed.settings,
      large.keyed.settings,
      "and stay the same object after another large one",
    );

    input[2999] = { type: "message", role: "user", content: 7 as unknown as string };
    const refused = await reader.read(bytes({ ...settings, input, previous_response_id: "resp_9" }));
    assert.equal(refused.head.previousResponseId, "resp_9");
    assert.equal(refused.content.kind, "refused");
    const { error } = refused.content as { error: WireError };
    assert.deepEqual([error.code, error.param], ["invalid_value", "input[2999].content"]);

    await assert.rejects(
      reader.read(broken),
      (failure) => WireError.isInstance(failure) && failure.code === "invalid_json",
    );
  }));

test("a large body does not hold up the event loop", () =>
  withReader(async (reader) => {
    const input = Array.from({ length: 8000 }, (_, index) => ({
      type: "message",
      role: "user",
      content: `${index} ${"z".repeat(400)}`,
    }));
    const body = bytes({ ...settings, input });
    await reader.read(bytes({ ...settings, input: "z".repeat(300_000) }));
    let turns = 0;
    let isReading = true;
    const count = (): void => {
      turns += 1;
      if (isReading) setImmediate(count);
    };
    setImmediate(count);
    await reader.read(body);
    isReading = false;
    // Read in one piece there would be a handful of turns at most.
    assert.ok(turns > 20, `${turns} turns of the event loop meanwhile`);
  }));

test("bytes that are not UTF-8 are refused by code, large or small", () =>
  withReader(async (reader) => {
    for (const size of [10, 300_000]) {
      const broken = Buffer.alloc(size, 0xff);
      await assert.rejects(
        reader.read(broken),
        (error) => WireError.isInstance(error) && error.code === "invalid_json",
      );
    }
  }));

test("a message of another type comes as it is, a large one too", () =>
  withReader(async (reader) => {
    const steer = { type: "response.steer", input: "x".repeat(300_000), stream_id: "a" };
    for (const message of [{ type: "response.steer", input: "go", stream_id: "a" }, steer]) {
      const { head, content } = await reader.read(bytes(message));
      assert.deepEqual([head.type, head.streamId], ["response.steer", "a"]);
      assert.deepEqual(content, { kind: "other", value: message });
    }
  }, "message"));

test("closing the worker fails what waits for it", async () => {
  const offload = new CreateOffload();
  const reader = new CreateReader(defaultLimits, offload, "create");
  const reading = reader.read(bytes({ ...settings, input: "x".repeat(400_000) }));
  const failed = assert.rejects(
    reading,
    (error) => WireError.isInstance(error) && error.code === "server_error",
  );
  await offload.close();
  await failed;
});
