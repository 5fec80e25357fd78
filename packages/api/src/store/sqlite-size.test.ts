import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import type { Item } from "@slipstream-stack/protocol";
import { createSqliteStore } from "./sqlite-store.ts";
import { lapRecordFixture, responseWriteFixture } from "./testing/response-write.ts";

const folder = mkdtempSync(join(tmpdir(), "slipstream-size-"));
after(() => rmSync(folder, { recursive: true }));

/** A seeded generator (mulberry32), so that texts are neither random from run to run nor repetitive. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Text of `length` characters in words of random letters: harder to compress than any a model writes. */
function wordsOf(random: () => number, length: number): string {
  let text = "";
  while (text.length < length) {
    const word = Array.from({ length: 2 + random() * 8 }, () => String.fromCharCode(97 + random() * 26));
    text += `${word.join("")} `;
  }
  return text.slice(0, length);
}

/** Pages the file uses, in bytes, once the log is written back. */
function usedBytes(path: string): number {
  const connection = new DatabaseSync(path);
  try {
    connection.exec("pragma wal_checkpoint(truncate)");
    const read = (name: string) => Number(Object.values(connection.prepare(`pragma ${name}`).get() ?? {})[0]);
    return (read("page_count") - read("freelist_count")) * read("page_size");
  } finally {
    connection.close();
  }
}

/** A tool call with its output, then an answer whose ids cost three characters of text each. */
function lapItems(random: () => number, lap: number, input: number, output: number): Item[] {
  return [
    {
      type: "function_call_output",
      id: `fco_${lap}`,
      call_id: `call_${lap}`,
      output: wordsOf(random, input),
    },
    {
      type: "message",
      id: `msg_${lap}`,
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: wordsOf(random, output), annotations: [], logprobs: [] }],
    },
  ];
}

describe("bytes of a stored lap", () => {
  for (const { input, output } of [
    { input: 40, output: 120 },
    { input: 900, output: 160 },
    { input: 200, output: 4_000 },
  ]) {
    it(`stay under 1.3 x delta + 2 kB and flat over 1,000 laps of ${input} + ${output} characters`, async () => {
      const path = join(folder, `${input}-${output}.sqlite`);
      const store = await createSqliteStore({ path, onError: () => {} });
      const random = generator(input);
      // 40 kB of tools that come again with every lap, as Codex sends them.
      const tools = new TextEncoder().encode(wordsOf(random, 40_000));
      const laps = 1_000;
      const ids = Array.from({ length: laps }, () => `resp_${randomBytes(24).toString("hex")}`);
      let delta = 0;
      let reported = 0;
      const used: number[] = [];
      const pending: Promise<unknown>[] = [];
      for (let lap = 0; lap < laps; lap += 1) {
        const id = ids[lap] ?? "";
        const parent = ids[lap - 1] ?? null;
        const items = lapItems(random, lap, input, output);
        delta += JSON.stringify(items).length;
        const base = responseWriteFixture("lap", { items });
        const sampledIds = Uint32Array.from({ length: output / 3 }, () => random() * 49_152);
        const write = {
          ...base,
          id,
          parent,
          depth: lap,
          sampled: { firstItem: 1, ids: sampledIds },
          blobs: new Map([...base.blobs.keys()].map((hash) => [hash, tools])),
          lap: lapRecordFixture({ response_id: id, previous_response_id: parent, bytes_in: delta }),
        };
        pending.push(store.commit(write).then((outcome) => (reported += outcome.bytes)));
        if (lap % 100 !== 99) continue;
        await Promise.all(pending.splice(0));
        used.push(usedBytes(path));
      }
      await store.close();
      const [first = 0] = used;
      const last = usedBytes(path);
      const perLap = last / laps;
      assert.ok(perLap <= (1.3 * delta) / laps + 2_000, `${perLap} bytes per lap, delta ${delta / laps}`);
      // The first hundred laps also pay for head, settings and the tables.
      const tenth = (index: number) => (used[index] ?? 0) - (used[index - 1] ?? 0);
      assert.ok(
        tenth(9) <= tenth(1) * 1.1,
        `${tenth(9)} bytes for the last 100 laps, ${tenth(1)} for the second`,
      );
      assert.ok(first > 0 && reported <= last);
    });
  }
});
