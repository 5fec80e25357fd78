import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { listenForStops } from "./stop-signals.ts";

function listen() {
  const source = new EventEmitter();
  const seen: string[] = [];
  let time = 0;
  const stop = listenForStops(source, {
    first: (signal) => seen.push(signal),
    again: () => seen.push("again"),
    now: () => time,
  });
  const send = (signal: string, at: number): void => {
    time = at;
    source.emit(signal);
  };
  return { source, seen, stop, send };
}

test("one Ctrl-C that arrives by several ways counts once, a later one again", () => {
  const { seen, send } = listen();
  for (const at of [0, 1, 150]) send("SIGINT", at);
  assert.deepEqual(seen, ["SIGINT"]);
  send("SIGINT", 1000);
  send("SIGINT", 1001);
  assert.deepEqual(seen, ["SIGINT", "again"]);
});

test("every kind of signal asks to stop, and none is heard after the end", () => {
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    const { source, seen, stop, send } = listen();
    send(signal, 0);
    assert.deepEqual(seen, [signal]);
    stop();
    assert.equal(source.listenerCount(signal), 0);
  }
});
