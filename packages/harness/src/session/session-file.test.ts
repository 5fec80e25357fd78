import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Item } from "@slipstream-stack/protocol";
import { HarnessError } from "../errors.ts";
import { testWorkspace } from "../testing/test-workspace.ts";
import { listSessions } from "./list-sessions.ts";
import { SessionFile, sessionPath } from "./session-file.ts";
import type { SessionHeader } from "./session-record.ts";

function header(id: string, createdAt = 1): SessionHeader {
  return { type: "session", schema: 1, id, createdAt, workspace: "/w", model: "m" };
}

function message(text: string): Item {
  return { type: "message", role: "user", content: text };
}

async function written(context: TestContext, id = "s1") {
  const directory = await testWorkspace(context);
  const file = await SessionFile.create(directory, header(id), "turn");
  file.append({ type: "item", item: message("ä\n1") });
  file.append({ type: "turn", turnId: "t", outcome: { kind: "cancelled", laps: 1 } });
  file.append({ type: "item", item: message("2") });
  await file.close();
  return { directory, path: sessionPath(directory, id) };
}

function hasCode(code: string): (error: unknown) => boolean {
  return (error) => HarnessError.isInstance(error) && error.code === code;
}

test("what was appended is there after a resume, and the file goes on", async (context) => {
  const { directory, path } = await written(context);
  const first = await SessionFile.resume(directory, "s1", "always");
  assert.deepEqual(first.items, [message("ä\n1"), message("2")]);
  assert.deepEqual(first.file.header, header("s1"));
  first.file.append({ type: "item", item: message("3") });
  await first.file.close();
  const second = await SessionFile.resume(directory, "s1", "never");
  assert.deepEqual(second.items, [message("ä\n1"), message("2"), message("3")]);
  await second.file.close();
  assert.deepEqual(JSON.parse(readFileSync(path, "utf8").split("\n")[0]!), header("s1"));
});

test("items come back with the very bytes they went in with, unknown fields and order of keys included", async (context) => {
  const directory = await testWorkspace(context);
  const item = {
    zeta: 1,
    content: [{ text: "x", type: "output_text" }],
    role: "assistant",
    type: "message",
    id: "m",
  };
  const file = await SessionFile.create(directory, header("s1"), "never");
  file.append({ type: "item", item: item as unknown as Item });
  await file.close();
  const resumed = await SessionFile.resume(directory, "s1", "never");
  await resumed.file.close();
  assert.equal(JSON.stringify(resumed.items), JSON.stringify([item]));
});

test("a torn last line is dropped, wherever it was torn", async (context) => {
  const { directory, path } = await written(context);
  const whole = readFileSync(path);
  const line = Buffer.from(`${JSON.stringify({ type: "item", item: message("torn ä") })}\n`);
  for (let length = 0; length < line.length; length += 5) {
    writeFileSync(path, Buffer.concat([whole, line.subarray(0, length)]));
    const { file, items } = await SessionFile.resume(directory, "s1", "never");
    assert.deepEqual(items, [message("ä\n1"), message("2")]);
    await file.close();
    assert.deepEqual(readFileSync(path), whole);
  }
});

test("missing, broken, newer and oddly named sessions are told apart", async (context) => {
  const { directory, path } = await written(context);
  const resume = (id: string) => SessionFile.resume(directory, id, "never");
  await assert.rejects(resume("none"), hasCode("session_not_found"));
  await assert.rejects(resume("../s1"), hasCode("session_not_found"));
  appendFileSync(path, "broken\n{}\n");
  await assert.rejects(resume("s1"), hasCode("session_corrupt"));
  writeFileSync(join(directory, "new.jsonl"), `${JSON.stringify({ ...header("new"), schema: 2 })}\n`);
  await assert.rejects(resume("new"), hasCode("session_unsupported"));
  writeFileSync(join(directory, "empty.jsonl"), "");
  await assert.rejects(resume("empty"), hasCode("session_corrupt"));
});

test("a session belongs to one holder at a time; a lock of the dead is taken over", async (context) => {
  const { directory, path } = await written(context);
  const { file } = await SessionFile.resume(directory, "s1", "never");
  await assert.rejects(SessionFile.resume(directory, "s1", "never"), hasCode("session_locked"));
  await file.close();
  writeFileSync(`${path}.lock`, "999999999\n");
  const { file: again } = await SessionFile.resume(directory, "s1", "never");
  await again.close();
});

test("sessions written at the same time do not mix", async (context) => {
  const directory = await testWorkspace(context);
  const ids = ["a", "b", "c"];
  await Promise.all(
    ids.map(async (id) => {
      const file = await SessionFile.create(directory, header(id), "never");
      for (let index = 0; index < 50; index++) file.append({ type: "item", item: message(`${id}${index}`) });
      await file.close();
    }),
  );
  for (const id of ids) {
    const { file, items } = await SessionFile.resume(directory, id, "never");
    assert.deepEqual(
      items,
      Array.from({ length: 50 }, (_, index) => message(`${id}${index}`)),
    );
    await file.close();
  }
});

test("sessions are listed newest first, and other files are left out", async (context) => {
  const directory = await testWorkspace(context, { "notes.txt": "x", "odd.jsonl": "x\n" });
  for (const [id, createdAt] of [
    ["old", 1],
    ["new", 3],
    ["mid", 2],
  ] as const) {
    await (await SessionFile.create(directory, header(id, createdAt), "never")).close();
  }
  assert.deepEqual(
    (await listSessions(directory)).map((session) => session.id),
    ["new", "mid", "old"],
  );
  assert.deepEqual(await listSessions(join(directory, "missing")), []);
});
