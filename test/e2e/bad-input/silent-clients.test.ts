import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { test } from "node:test";
import { WebSocket } from "ws";
import { httpClient } from "../../support/responses-client.ts";
import { scratchFolder } from "../../support/scratch-folder.ts";
import { simulatedModelId as model, serve } from "../../support/serve.ts";

/** Asks for all that the context holds, so that far more comes back than the sockets take. */
const long = JSON.stringify({ model, input: "hi", stream: true });
const settleMs = 20;

async function neverReadsHttp(root: string): Promise<Disposable> {
  const { hostname, port } = new URL(root);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.pause();
  const head = `POST /v1/responses HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n`;
  socket.write(`${head}content-length: ${long.length}\r\n\r\n${long}`);
  return { [Symbol.dispose]: () => socket.destroy() };
}

async function neverReadsSocket(root: string): Promise<Disposable> {
  const socket = new WebSocket(`${root.replace("http", "ws")}/v1/responses`);
  socket.on("error", () => undefined);
  await once(socket, "open");
  socket.pause();
  socket.send(JSON.stringify({ type: "response.create", ...JSON.parse(long) }));
  return { [Symbol.dispose]: () => socket.terminate() };
}

/** Half a request, and then nothing. */
async function neverEnds(root: string): Promise<Disposable> {
  const { hostname, port } = new URL(root);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  socket.write(`POST /v1/responses HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: 1000\r\n\r\n{"model"`);
  return { [Symbol.dispose]: () => socket.destroy() };
}

const kinds = {
  "reads no events": neverReadsHttp,
  "reads no socket": neverReadsSocket,
  "ends no request": neverEnds,
};

for (const [name, start] of Object.entries(kinds)) {
  test(`a client that ${name} keeps nobody else waiting, nor the server from ending`, {
    timeout: 60_000,
  }, async () => {
    using folder = scratchFolder();
    const server = await serve({ engine: "simulated", folder: folder.path });
    using clients = new DisposableStack();
    for (let count = 0; count < 4; count += 1) clients.use(await start(server.root));
    for (let lap = 0; lap < 3; lap += 1) {
      await new Promise((resolve) => setTimeout(resolve, settleMs));
      const { response } = await httpClient(server.root).create({
        model,
        input: `Lap ${lap}`,
        max_output_tokens: 8,
      });
      assert.equal(response.model, model);
    }
    await server.close();
    assert.throws(() => process.kill(server.pid, 0), { code: "ESRCH" });
  });
}
