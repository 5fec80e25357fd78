import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { endWhenAsked } from "./end-when-asked.ts";

const fake = (connected: boolean) => Object.assign(new EventEmitter(), { connected });

test("a signal asks once, a second one is urgent", async () => {
  const source = fake(false);
  let time = 0;
  const { asked, urgent } = endWhenAsked(source, () => time);
  source.emit("SIGTERM");
  assert.equal(await asked, "SIGTERM");
  assert.equal(urgent.aborted, false);
  time = 1000;
  source.emit("SIGINT");
  assert.equal(urgent.aborted, true);
});

test("a child ends when its starter is gone, any other server does not care", async () => {
  const child = fake(true);
  const { asked } = endWhenAsked(child, () => 0);
  child.emit("disconnect");
  assert.equal(await asked, "disconnect");
  const own = fake(false);
  endWhenAsked(own, () => 0);
  assert.equal(own.listenerCount("disconnect"), 0);
});

test("nothing is listened to after the stop", () => {
  const source = fake(true);
  endWhenAsked(source, () => 0).stop();
  for (const event of ["SIGINT", "SIGTERM", "SIGHUP", "disconnect"])
    assert.equal(source.listenerCount(event), 0);
});
