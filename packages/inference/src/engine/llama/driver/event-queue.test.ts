import assert from "node:assert/strict";
import { test } from "node:test";
import { collect } from "../test-collect.ts";
import { EventQueue } from "./event-queue.ts";

test("values come in order, those pushed before and after the reader came", async () => {
  const pulled: number[] = [];
  const queue = new EventQueue<number>((value) => pulled.push(value));
  queue.push(1);
  const read = collect(queue);
  queue.push(2);
  await Promise.resolve();
  queue.push(3);
  queue.end();
  assert.deepEqual(await read, [1, 2, 3]);
  assert.deepEqual(pulled, [1, 2, 3]);
});

test("nothing is taken after the end", async () => {
  const queue = new EventQueue<number>(() => {});
  queue.end();
  queue.push(1);
  assert.deepEqual(await collect(queue), []);
  assert.ok(queue.ended);
});
