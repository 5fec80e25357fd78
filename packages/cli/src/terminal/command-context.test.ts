import assert from "node:assert/strict";
import { EventEmitter } from "node:events";
import { test } from "node:test";
import { interruptOf } from "./command-context.ts";

for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  test(`${name} aborts once; then the process's own behaviour is back`, () => {
    const source = new EventEmitter();
    const signal = interruptOf(source as unknown as Parameters<typeof interruptOf>[0]);
    assert.equal(signal.aborted, false);
    source.emit(name);
    assert.equal(signal.aborted, true);
    assert.equal(source.listenerCount(name), 0);
  });
}
