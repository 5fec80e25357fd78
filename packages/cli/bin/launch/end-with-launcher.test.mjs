import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

const module = new URL("./end-with-launcher.mjs", import.meta.url).href;
/** @param {string} text @param {"ipc" | "ignore"} channel */
const start = (text, channel) =>
  spawn(
    process.execPath,
    [
      "--input-type=module",
      "-e",
      `import { endWithLauncher } from ${JSON.stringify(module)}; endWithLauncher(process); ${text}`,
    ],
    { stdio: ["ignore", "pipe", "inherit", channel] },
  );
const stay = "setInterval(() => {}, 1000); console.log('up');";

test("a program whose launcher is gone is asked to end, in order", async () => {
  const child = start(`process.on("SIGTERM", () => process.exit(9)); ${stay}`, "ipc");
  await once(/** @type {import("node:stream").Readable} */ (child.stdout), "data");
  child.disconnect();
  assert.deepEqual(await once(child, "exit"), [9, null]);
});

test("with nothing left to do a program ends, its launcher there or not", async () => {
  for (const channel of /** @type {const} */ (["ipc", "ignore"])) {
    assert.deepEqual(await once(start("", channel), "exit"), [0, null]);
  }
});
