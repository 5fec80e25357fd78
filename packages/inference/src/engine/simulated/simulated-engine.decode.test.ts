import assert from "node:assert/strict";
import { test } from "node:test";
import { collect, decodeProgram, engineRequest, simulatedModel, tokenRope } from "@slipstream-stack/testkit";
import type { Constraint, ConstraintSource, DecodeProgram } from "../../port/decode-program.ts";
import { simulatedVocabulary } from "./simulated-vocabulary.ts";

const prompt = tokenRope(
  "root",
  Uint32Array.from({ length: 70 }, (_, index) => 10 + index),
);
const endOfTurn = simulatedVocabulary.endOfGeneration[0] ?? 0;
const sampling = { temperature: 1, topK: 0, topP: 1, seed: 7 };

function encode(text: string): number[] {
  return simulatedVocabulary.encodeBytes(new TextEncoder().encode(text));
}

function textOf(ids: readonly number[]): string {
  return Buffer.concat(ids.map((id) => simulatedVocabulary.pieces[id]!)).toString();
}

async function run(changes: Partial<DecodeProgram>, options: Parameters<typeof simulatedModel>[0] = {}) {
  const { engine } = simulatedModel(options);
  await using ticket = engine.submit(engineRequest(prompt, { decode: decodeProgram(changes) }));
  return await collect(ticket);
}

test("equal seeds and prompts give equal tokens; another seed, model seed or prompt gives others", async () => {
  const base = await run({ maxTokens: 40, sampling });
  assert.deepEqual((await run({ maxTokens: 40, sampling })).sampled, base.sampled);
  assert.notDeepEqual(
    (await run({ maxTokens: 40, sampling: { ...sampling, seed: 8 } })).sampled,
    base.sampled,
  );
  assert.notDeepEqual((await run({ maxTokens: 40, sampling }, { seed: 1 })).sampled, base.sampled);
  const greedy = { ...sampling, temperature: 0 };
  assert.deepEqual(
    (await run({ sampling: greedy })).sampled,
    (await run({ sampling: { ...greedy, seed: 99 } })).sampled,
  );
});

test("free text ends by itself with an end-of-generation token that is sampled but not kept", async () => {
  const { end, sampled } = await run({ maxTokens: 500, stopTokens: [0, endOfTurn] });
  assert.equal(end?.reason, "stop");
  assert.equal(end?.rule, 1);
  assert.equal(sampled.at(-1), endOfTurn);
  assert.equal(end?.keep, sampled.length - 1);
  assert.equal(end?.held?.length, 70 + end.keep);
  assert.match(textOf(sampled.slice(0, -1)), /^[A-Z][a-z]+( [a-z]+|\.)+$/);
});

test("maxTokens ends with length, and the last token sampled is not held", async () => {
  const { end, output } = await run({ maxTokens: 5 });
  assert.equal(end?.reason, "length");
  assert.equal(output.length, 5);
  assert.equal(end?.held?.length, 74);
  assert.equal(end?.evaluated, 74);
});

test("maxTokens 0 prefills only", async () => {
  const { end, sampled } = await run({ maxTokens: 0 });
  assert.deepEqual([end?.reason, end?.keep, end?.held?.length, sampled.length], ["length", 0, 70, 0]);
});

test("the context bounds the output", async () => {
  const { end } = await run({ maxTokens: 1000 }, { contextTokens: 80 });
  assert.deepEqual([end?.reason, end?.keep], ["length", 10]);
});

test("forced ids are taken as they stand, one step each, non-canonical ones too", async () => {
  const canonical = encode("function add(first, second)");
  const split = [...Buffer.from("function add(first, second)")].map(
    (byte) => encode(String.fromCharCode(byte))[0]!,
  );
  assert.ok(split.length > canonical.length);
  const forced = Uint32Array.from([...split, endOfTurn]);
  const { end, output, events } = await run({ maxTokens: 100, forced, stopTokens: [endOfTurn] });
  assert.deepEqual(output, split);
  assert.equal(events.filter(({ type }) => type === "tokens").length, forced.length);
  assert.equal(end?.reason, "stop");
});

test("forced ids bypass constraints", async () => {
  const constraints = [constraint("start", { kind: "json_object" }, "stop")];
  const forced = Uint32Array.from([...encode("no json"), endOfTurn]);
  const { output } = await run({ maxTokens: 50, forced, constraints, stopTokens: [endOfTurn] });
  assert.equal(textOf(output), "no json");
});

test("a script answers a prompt it knows and leaves others to chance", async () => {
  const script = ({ prompt: { length } }: { prompt: { length: number } }) =>
    length === 70 ? Uint32Array.from(encode("scripted answer")) : null;
  const known = await run({ maxTokens: 50, stopTokens: [endOfTurn] }, { script });
  assert.equal(textOf(known.output), "scripted answer");
  assert.equal(known.end?.reason, "stop");
});

test("a stop string across tokens ends the output, and keep excludes the tokens from where it began", async () => {
  const forced = Uint32Array.from([
    ...encode("one two"),
    ...[..."</stop>"].flatMap((letter) => encode(letter)),
  ]);
  const stopBytes = [Buffer.from("never"), Buffer.from("</stop>")];
  const { end, output, sampled } = await run({ maxTokens: 100, forced, stopBytes, stopTokens: [endOfTurn] });
  assert.equal(end?.reason, "stop");
  assert.equal(end?.rule, 2);
  assert.equal(textOf(output), "one two");
  assert.equal(sampled.length, forced.length);
  assert.equal(end?.held?.length, 70 + output.length);
});

test("a stop string that begins inside a token excludes that whole token", async () => {
  const forced = Uint32Array.from([...encode(" the"), ...encode(" function"), ...encode(" call")]);
  const { end, output } = await run({ maxTokens: 100, forced, stopBytes: [Buffer.from("tion call")] });
  assert.equal(end?.reason, "stop");
  assert.equal(textOf(output), " the");
});

test("logprobs come with each token, are negative, and belong to token and place", async () => {
  const first = await run({ maxTokens: 6, logprobs: true });
  const again = await run({ maxTokens: 6, logprobs: true, forced: Uint32Array.from(first.sampled) });
  const of = ({ events }: typeof first) =>
    events.flatMap((event) => (event.type === "tokens" ? [...event.logprobs!] : []));
  assert.equal(of(first).length, 6);
  assert.ok(of(first).every((value) => value <= 0));
  assert.deepEqual(of(again), of(first));
  const without = await run({ maxTokens: 6 });
  assert.ok(without.events.every((event) => event.type !== "tokens" || event.logprobs === undefined));
});

function constraint(on: Constraint["on"], source: ConstraintSource, then: Constraint["then"]): Constraint {
  return { on, source, then };
}

const shellCall: ConstraintSource = {
  kind: "named_json",
  begin: '{"name": "',
  alternatives: [
    {
      name: "shell",
      schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
    },
    { name: "add", schema: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } },
  ],
  between: '", "arguments": ',
  end: "}",
};

test("a constraint from the start yields a named call whose arguments fit, and may stop there", async () => {
  const { end, output } = await run({
    maxTokens: 300,
    constraints: [constraint("start", shellCall, "stop")],
  });
  assert.deepEqual([end?.reason, end?.rule], ["stop", null]);
  const call = JSON.parse(textOf(output)) as { name: string; arguments: Record<string, unknown> };
  assert.ok(
    call.name === "shell" ? typeof call.arguments.command === "string" : Number.isInteger(call.arguments.n),
  );
});

test("a constraint after which text is free again ends the turn with its end token", async () => {
  const constraints: Constraint[] = [constraint("start", { kind: "json_object" }, "free")];
  const { end, output, sampled } = await run({ maxTokens: 300, constraints, stopTokens: [endOfTurn] });
  assert.equal(typeof JSON.parse(textOf(output)), "object");
  assert.equal(sampled.at(-1), endOfTurn);
  assert.equal(end?.rule, 0);
});

test("a trigger in free text switches its constraint on", async () => {
  const free = textOf((await run({ maxTokens: 6 })).output);
  const trigger = Buffer.from(free.slice(-4));
  const { output } = await run({
    maxTokens: 300,
    constraints: [constraint({ trigger }, shellCall, "stop")],
  });
  const text = textOf(output);
  assert.ok(text.startsWith(free));
  assert.equal(typeof JSON.parse(text.slice(free.length)), "object");
});

test("a constraint the engine cannot write is refused, not ignored", async () => {
  const constraints: Constraint[] = [constraint("start", { kind: "ebnf", text: 'root ::= "a"' }, "stop")];
  const { error } = await run({ constraints });
  assert.equal(error?.code, "invalid_request");
});
