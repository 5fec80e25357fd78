import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventBody, Item } from "@slipstream-stack/protocol";
import fc from "fast-check";
import type { ParsedEvent } from "../parse/parsed-event.ts";
import type { RenderedTool } from "../render/rendered-tool.ts";
import { createEgress, type EgressOptions } from "./egress.ts";
import { openGate } from "./gate.ts";
import { TestGate } from "./test-gate.ts";

function tool(name: string, kind: RenderedTool["kind"], namespace: string | null = null): RenderedTool {
  return {
    renderedName: namespace === null ? name : `${namespace}__${name}`,
    name,
    namespace,
    kind,
    description: null,
    parameters: {},
    source: { type: "function", name },
  };
}

function message(index: number, ...deltas: string[]): ParsedEvent[] {
  return [
    { type: "item-start", index, start: { kind: "message" } },
    ...deltas.map((text): ParsedEvent => ({ type: "delta", index, text })),
    {
      type: "item-end",
      index,
      endByte: 0,
      item: {
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: deltas.join("") }],
      },
    },
  ];
}

function call(index: number, name: string, namespace: string | null, ...deltas: string[]): ParsedEvent[] {
  return [
    { type: "item-start", index, start: { kind: "call", tool: tool(name, "function", namespace) } },
    ...deltas.map((text): ParsedEvent => ({ type: "delta", index, text })),
    {
      type: "item-end",
      index,
      endByte: 0,
      item: {
        type: "function_call",
        name,
        ...(namespace === null ? {} : { namespace }),
        arguments: deltas.join(""),
        status: "completed",
      },
    },
  ];
}

interface Collected {
  readonly events: EventBody[];
  readonly options: EgressOptions;
}

function collect(change: Partial<EgressOptions> = {}): Collected {
  const events: EventBody[] = [];
  let ids = 0;
  const options: EgressOptions = {
    emit: async (event) => {
      await Promise.resolve();
      events.push(event);
    },
    gate: openGate,
    newId: (prefix) => {
      ids += 1;
      return `${prefix}_${ids}`;
    },
    ...change,
  };
  return { events, options };
}

const types = (events: readonly EventBody[]) => events.map((event) => event.type.replace("response.", ""));

test("a text goes out in the canonical order, with logprobs on every text event", async () => {
  const { events, options } = collect();
  const egress = createEgress(options);
  await egress.take(message(0, "Hel", "lo"));
  const { verdict, output } = await egress.finish("completed");
  assert.equal(verdict, "accept");
  assert.deepEqual(types(events), [
    "output_item.added",
    "content_part.added",
    "output_text.delta",
    "output_text.delta",
    "output_text.done",
    "content_part.done",
    "output_item.done",
  ]);
  for (const event of events) {
    if (event.type.startsWith("response.output_text"))
      assert.deepEqual((event as { logprobs: unknown }).logprobs, []);
  }
  assert.deepEqual(output, [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "Hello", annotations: [], logprobs: [] }],
    },
  ]);
});

test("a call carries its name, namespace and one call_id from beginning to end", async () => {
  const { events, options } = collect();
  const egress = createEgress(options);
  await egress.take(call(0, "search", "mcp__docs", '{"q":', "1}"));
  assert.deepEqual(types(events), [
    "output_item.added",
    "function_call_arguments.delta",
    "function_call_arguments.delta",
    "function_call_arguments.done",
    "output_item.done",
  ]);
  const [added, done] = [events[0], events.at(-1)] as { item: Item }[];
  const ids = { id: "fc_1", call_id: "call_2", name: "search", namespace: "mcp__docs" };
  assert.deepEqual(added!.item, { type: "function_call", ...ids, arguments: "", status: "in_progress" });
  assert.deepEqual(done!.item, { type: "function_call", ...ids, arguments: '{"q":1}', status: "completed" });
  assert.deepEqual(egress.finished(), [done!.item]);
});

test("custom calls, tool searches and thoughts have their own events and prefixes", async () => {
  const { events, options } = collect();
  const egress = createEgress(options);
  await egress.take([
    { type: "item-start", index: 0, start: { kind: "reasoning" } },
    { type: "delta", index: 0, text: "hm" },
    {
      type: "item-end",
      index: 0,
      endByte: 0,
      item: {
        type: "reasoning",
        summary: [],
        content: [{ type: "reasoning_text", text: "hm" }],
        status: "completed",
      },
    },
    { type: "item-start", index: 1, start: { kind: "call", tool: tool("patch", "custom") } },
    { type: "delta", index: 1, text: "+a" },
    {
      type: "item-end",
      index: 1,
      endByte: 0,
      item: { type: "custom_tool_call", name: "patch", input: "+a", status: "completed" },
    },
    { type: "item-start", index: 2, start: { kind: "call", tool: tool("tool_search", "tool_search") } },
    { type: "delta", index: 2, text: "{}" },
    {
      type: "item-end",
      index: 2,
      endByte: 0,
      item: { type: "tool_search_call", execution: "client", arguments: { q: "x" }, status: "completed" },
    },
  ]);
  const { output } = await egress.finish("completed");
  assert.deepEqual(types(events), [
    "output_item.added",
    "content_part.added",
    "reasoning_text.delta",
    "reasoning_text.done",
    "content_part.done",
    "output_item.done",
    "output_item.added",
    "custom_tool_call_input.delta",
    "custom_tool_call_input.done",
    "output_item.done",
    "output_item.added",
    "output_item.done",
  ]);
  assert.deepEqual(
    output.map((item) => (item as { id: string }).id.split("_")[0]),
    ["rs", "ctc", "tsc"],
  );
});

test("call ids given in advance are used in order, and new ones where there is none", async () => {
  const { options } = collect({ callIds: ["call_file", null] });
  const egress = createEgress(options);
  await egress.take([...call(0, "a", null, "{}"), ...call(1, "b", null, "{}"), ...call(2, "c", null, "{}")]);
  const callIds = egress.finished().map((item) => (item as { call_id: string }).call_id);
  assert.equal(callIds[0], "call_file");
  assert.match(callIds[1]!, /^call_\d+$/);
  assert.match(callIds[2]!, /^call_\d+$/);
});

test("a text that the limit cut is incomplete; a call that had closed before is not", async () => {
  const { options } = collect();
  const egress = createEgress(options);
  await egress.take([...message(0, "a"), ...call(1, "f", null, "{}"), ...message(2, "b")]);
  const { output } = await egress.finish("incomplete");
  assert.deepEqual(
    output.map((item) => (item as { status: string }).status),
    ["completed", "completed", "incomplete"],
  );
});

test("from the first held event on everything waits, and leaves in order on acceptance", async () => {
  const gate = new TestGate((event) => event.type === "item-start" && event.start.kind === "call");
  const { events, options } = collect({ gate });
  const egress = createEgress(options);
  await egress.take([...message(0, "before"), ...call(1, "f", null, "{}"), ...message(2, "after")]);
  assert.equal(types(events).filter((type) => type === "output_item.added").length, 1);
  assert.equal(gate.seen.length, 9, "the gate sees what waits, too");
  const finished = egress.finish("completed");
  gate.settle("accept");
  const { verdict, output } = await finished;
  assert.equal(verdict, "accept");
  assert.deepEqual(
    output.map((item) => item.type),
    ["message", "function_call", "message"],
  );
});

test("nothing held leaves after a refusal, nor anything that comes later", async () => {
  const gate = new TestGate((event) => event.type === "item-start" && event.start.kind === "call");
  const { events, options } = collect({ gate });
  const egress = createEgress(options);
  await egress.take([...message(0, "before"), ...call(1, "f", null, '{"secret":1}')]);
  const sent = events.length;
  const finished = egress.finish("completed");
  gate.settle("refuse");
  assert.equal((await finished).verdict, "refuse");
  await egress.take(message(2, "later"));
  assert.ok(events.length - sent <= 1, "at most the end of the text that had been sent");
  assert.ok(!JSON.stringify(events).includes("secret"));
  assert.ok(!JSON.stringify(events).includes("later"));
});

test("an event held while an earlier verdict is on its way waits for its own", async () => {
  const gate = new TestGate((event) => event.type === "item-start" && event.start.kind === "call");
  const { events, options } = collect({ gate });
  const egress = createEgress(options);
  await egress.take(call(0, "first", null, "{}"));
  gate.settle("accept");
  await egress.take(call(1, "second", null, "{}"));
  await new Promise((resolve) => setImmediate(resolve));
  assert.ok(!JSON.stringify(events).includes("second"));
  const finished = egress.finish("completed");
  gate.settle("accept");
  assert.equal((await finished).output.length, 2);
});

test("a gate that fails fails the response and lets nothing out", async () => {
  const { events, options } = collect({
    gate: { admit: () => "hold", settled: () => Promise.reject(new Error("classifier down")) },
  });
  const egress = createEgress(options);
  await egress.take(message(0, "text"));
  await assert.rejects(egress.finish("completed"));
  assert.deepEqual(events, []);
});

test("the parser goes at the transport's pace", async () => {
  let open: () => void = () => undefined;
  const { options } = collect({ emit: () => new Promise((resolve) => (open = resolve)) });
  const egress = createEgress(options);
  let taken = false;
  const taking = egress.take([{ type: "item-start", index: 0, start: { kind: "message" } }]).then(() => {
    taken = true;
  });
  await Promise.resolve();
  assert.equal(taken, false);
  for (let turn = 0; turn < 4 && !taken; turn += 1) {
    open();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await taking;
  assert.ok(taken);
});

test("whatever is held, what leaves is the whole in order or a clean beginning of it", async () => {
  const items = fc.array(
    fc.record({ isCall: fc.boolean(), deltas: fc.array(fc.string({ maxLength: 4 }), { maxLength: 4 }) }),
    { maxLength: 5 },
  );
  await fc.assert(
    fc.asyncProperty(
      items,
      fc.array(fc.boolean(), { maxLength: 40 }),
      fc.boolean(),
      async (list, holds, accepts) => {
        const parsed = list.flatMap(({ isCall, deltas }, index) =>
          isCall ? call(index, "f", null, ...deltas) : message(index, ...deltas),
        );
        const reference = collect();
        const plain = createEgress(reference.options);
        await plain.take(parsed);
        await plain.finish("completed");

        const gate = new TestGate(() => holds[gate.seen.length - 1] ?? false);
        const { events, options } = collect({ gate });
        const gated = createEgress(options);
        for (const event of parsed) await gated.take([event]);
        const firstHeld = holds.slice(0, parsed.length).indexOf(true);
        const finished = gated.finish("completed");
        // Verdicts are given until nothing is open any more.
        const settling = setInterval(() => gate.settle(accepts ? "accept" : "refuse"), 0);
        const { verdict } = await finished;
        clearInterval(settling);
        assert.equal(verdict, firstHeld === -1 || accepts ? "accept" : "refuse");
        if (verdict === "accept") assert.deepEqual(events, reference.events);
        else assert.deepEqual(events, reference.events.slice(0, events.length));
      },
    ),
    { numRuns: 60 },
  );
});
