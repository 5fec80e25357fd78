import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createConnection, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { encodeFrame, FrameDecoder } from "../../wire/frame.ts";
import { type ToChild, type ToParent, wireVersion } from "../../wire/messages.ts";
import { ChildServer } from "./child-server.ts";

const greeting = { type: "hello", version: wireVersion } as Extract<ToParent, { type: "hello" }>;

async function listening(act: (socketPath: string, server: ChildServer, log: unknown[]) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), "slipstream-test-"));
  const socket = process.platform === "win32" ? `\\\\.\\pipe\\${folder.slice(-6)}` : join(folder, "s");
  const log: unknown[] = [];
  const server = new ChildServer({
    socket,
    key: "secret",
    greeting,
    onMessage: (message) => log.push(message),
    onEnd: () => log.push("end"),
  });
  await server.listen();
  try {
    await act(socket, server, log);
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const connect = (path: string, hello: ToChild | Uint8Array): Socket => {
  const socket = createConnection(path);
  socket.on("error", () => {});
  socket.write(hello instanceof Uint8Array ? hello : encodeFrame(hello));
  return socket;
};

const firstMessage = (socket: Socket): Promise<unknown> =>
  new Promise((resolve) => {
    const decoder = new FrameDecoder();
    socket.on("data", (chunk: Uint8Array) => {
      for (const message of decoder.push(chunk)) resolve(message);
    });
    socket.once("close", () => resolve("closed"));
  });

const hello: ToChild = { type: "hello", version: wireVersion, key: "secret" };

test("the owner is greeted, its messages are taken, and its end is noticed", async () => {
  await listening(async (path, server, log) => {
    const owner = connect(path, hello);
    assert.deepEqual(await firstMessage(owner), greeting);
    server.send(encodeFrame({ type: "have", id: 1, length: 2 }));
    assert.deepEqual(await firstMessage(owner), { type: "have", id: 1, length: 2 });
    owner.end(encodeFrame({ type: "cancel", id: 4 } satisfies ToChild));
    await new Promise((resolve) => owner.once("close", resolve));
    assert.deepEqual(log, [{ type: "cancel", id: 4 }, "end"]);
  });
});

test("strangers are cut off, and the owner does not notice", async () => {
  await listening(async (path, _server, log) => {
    const owner = connect(path, hello);
    await firstMessage(owner);
    const wrongKey = connect(path, { ...hello, key: "guess" });
    const second = connect(path, hello);
    const rude = connect(path, { type: "cancel", id: 1 });
    const garbage = connect(path, new Uint8Array(64).fill(0xff));
    for (const socket of [wrongKey, second, rude, garbage])
      assert.equal(await firstMessage(socket), "closed");
    assert.deepEqual(log, []);
    owner.destroy();
  });
});

test("another version is told so", async () => {
  await listening(async (path) => {
    const socket = connect(path, { ...hello, version: wireVersion + 1 });
    assert.deepEqual(await firstMessage(socket), { type: "refused", version: wireVersion });
  });
});
