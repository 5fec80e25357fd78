import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageQueue } from "./message-queue.ts";

test("messages come in order, and the error behind them", async () => {
  const queue = new MessageQueue<number>();
  queue.push(1);
  queue.push(2);
  queue.fail(new Error("end"));
  queue.push(3);
  assert.equal(await queue.next(), 1);
  assert.equal(await queue.next(), 2);
  await assert.rejects(queue.next());
});

test("a reader that waits is woken by a message and by an abort", async () => {
  const queue = new MessageQueue<number>();
  const first = queue.next();
  queue.push(7);
  assert.equal(await first, 7);
  const abort = new AbortController();
  const reason = new Error("stop");
  const second = queue.next(abort.signal);
  abort.abort(reason);
  await assert.rejects(second, (error) => error === reason);
});

test("an abort leaves the messages for the next reader", async () => {
  const queue = new MessageQueue<number>();
  queue.push(1);
  await assert.rejects(queue.next(AbortSignal.abort()));
  assert.equal(await queue.next(), 1);
});
