import assert from "node:assert/strict";
import { test } from "node:test";
import { HarnessError } from "../errors.ts";
import type { ToolCall } from "../loop/tool-call.ts";
import { type HarnessTool, success, ToolArgumentError } from "./tool.ts";
import { ToolRegistry } from "./tool-registry.ts";

const never = new AbortController().signal;

function tool(
  name: string,
  parallel: boolean,
  run: HarnessTool["run"] = async () => success(name),
): HarnessTool {
  return { definition: { type: "function", name }, parallel, run };
}

function call(name: string, input = "{}", callId = "c"): ToolCall {
  return { callId, name, input, kind: "function" };
}

test("an unknown tool, bad arguments and a throwing tool are values", async () => {
  const registry = new ToolRegistry([
    tool("throws", true, async () => {
      throw new Error("boom");
    }),
    tool("refuses", true, async () => {
      throw new ToolArgumentError("give a path");
    }),
  ]);
  assert.equal((await registry.run(call("nothing"), never)).isError, true);
  assert.match((await registry.run(call("nothing"), never)).output, /refuses, throws/);
  assert.equal((await registry.run(call("throws", "not json"), never)).isError, true);
  assert.equal((await registry.run(call("throws", "[1]"), never)).isError, true);
  assert.equal((await registry.run(call("throws"), never)).isError, true);
  assert.deepEqual(await registry.run(call("refuses"), never), { output: "give a path", isError: true });
});

test("what no model could read is cut in the middle, whichever tool brought it", async () => {
  const long = tool("long", true, async () => success(`head${"x".repeat(5000)}tail`));
  const short = tool("short", false, async () => success("x".repeat(200)));
  const registry = new ToolRegistry([long, short], 200);
  const { output, isError } = await registry.run(call("long"), never);
  assert.equal(isError, false);
  assert.ok(Buffer.byteLength(output) <= 200);
  assert.match(output, /^head[\s\S]*5008 bytes[\s\S]*tail$/);
  assert.equal((await registry.run(call("short"), never)).output, "x".repeat(200));
});

test("an aborted turn runs no further call", async () => {
  let ran = false;
  const registry = new ToolRegistry([
    tool("x", false, async () => {
      ran = true;
      return success("");
    }),
  ]);
  assert.equal((await registry.run(call("x"), AbortSignal.abort())).isError, true);
  assert.equal(ran, false);
});

test("reads run side by side; a change waits for what came before and holds back what comes after", async () => {
  const log: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const gated = (name: string, parallel: boolean): HarnessTool =>
    tool(name, parallel, async () => {
      log.push(`+${name}`);
      await gates.get(name)?.promise;
      log.push(`-${name}`);
      return success(name);
    });
  const registry = new ToolRegistry([
    gated("a", true),
    gated("b", true),
    gated("w", false),
    gated("c", true),
  ]);
  for (const name of ["a", "b", "w", "c"]) gates.set(name, Promise.withResolvers());
  const running = ["a", "b", "w", "c"].map((name) => registry.run(call(name), never));
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  await settle();
  assert.deepEqual(log, ["+a", "+b"]);
  gates.get("b")?.resolve();
  await settle();
  assert.deepEqual(log, ["+a", "+b", "-b"]);
  gates.get("a")?.resolve();
  await settle();
  assert.deepEqual(log.slice(3), ["-a", "+w"]);
  gates.get("w")?.resolve();
  await settle();
  assert.deepEqual(log.slice(5), ["-w", "+c"]);
  gates.get("c")?.resolve();
  await Promise.all(running);
});

test("two tools of one name are refused", () => {
  assert.throws(
    () => new ToolRegistry([tool("x", true), tool("x", true)]),
    (error) => HarnessError.isInstance(error) && error.code === "duplicate_tool",
  );
});

test("the free text of a custom call comes as `input`", async () => {
  const registry = new ToolRegistry([tool("x", true, async (given) => success(String(given["input"])))]);
  const custom: ToolCall = { callId: "c", name: "x", input: "free {text", kind: "custom" };
  assert.equal((await registry.run(custom, never)).output, "free {text");
});
