import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { ApiError } from "../../errors.ts";
import { FakePipeline } from "../testing/fake-respond.ts";
import { startServer } from "../testing/test-server.ts";

const body = { model: "test-model", input: "hi" };

async function codeOf(response: Response): Promise<string> {
  const { error } = (await response.json()) as { error: { code: string } };
  return error.code;
}

test("a page of an allowed origin may ask first and read the answer; others get no leave", async () => {
  await using server = await startServer({
    origins: ["https://app.example"],
    keys: [{ key: "k", scope: "s" }],
  });
  const ask = (origin: string) =>
    fetch(`${server.base}/v1/responses`, {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "POST" },
    });
  const allowed = await ask("https://app.example");
  assert.equal(allowed.status, 204);
  assert.equal(allowed.headers.get("access-control-allow-origin"), "https://app.example");
  assert.match(allowed.headers.get("access-control-allow-headers") ?? "", /authorization/);
  const refused = await ask("https://evil.example");
  assert.equal(refused.status, 403);
  assert.equal(refused.headers.get("access-control-allow-origin"), null);
  const headers = { origin: "https://app.example", authorization: "Bearer k" };
  const answer = await server.post("/v1/responses", { ...body, stream: true }, headers);
  assert.equal(answer.headers.get("access-control-allow-origin"), "https://app.example");
  await answer.text();
});

test("a foreign origin or host name gets 403", async () => {
  await using server = await startServer({ origins: ["https://app.example"] });
  const refused = await server.post("/v1/responses", body, { origin: "https://evil.example" });
  assert.deepEqual([refused.status, await codeOf(refused)], [403, "forbidden_origin"]);
  assert.equal((await server.post("/v1/responses", body, { origin: "https://app.example" })).status, 200);
  const answer = await rawRequest(
    server.port,
    "GET /v1/models HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n",
  );
  assert.match(answer, /^HTTP\/1\.1 403 /);
  assert.match(answer, /forbidden_origin/);
});

test("a client that leaves aborts its request, before the first event and after", async () => {
  for (const stage of ["before", "between"] as const) {
    const pipeline = new FakePipeline();
    const begun = Promise.withResolvers<AbortSignal>();
    pipeline[stage] = ({ signal }) => {
      begun.resolve(signal);
      return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
    };
    await using server = await startServer({}, pipeline);
    const leaving = new AbortController();
    const request = fetch(`${server.base}/v1/responses`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...body, stream: true }),
      signal: leaving.signal,
    })
      .then((response) => response.text())
      .catch(() => undefined);
    const signal = await begun.promise;
    assert.equal(signal.aborted, false);
    leaving.abort();
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve());
    });
    await request;
    while (server.log.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    const { status, code } = server.log[0]!.fields;
    assert.deepEqual([status, code], [499, "client_closed_request"]);
  }
});

function rawRequest(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(text));
    let answer = "";
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => {
      answer += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}

test("what is not HTTP gets a coded error", async () => {
  await using server = await startServer();
  const answer = await rawRequest(server.port, "NOT HTTP AT ALL\r\n\r\n");
  assert.match(answer, /^HTTP\/1\.1 400 /);
  assert.equal(
    (JSON.parse(answer.split("\r\n\r\n")[1] ?? "") as { error: { code: string } }).error.code,
    "invalid_value",
  );
});

test("a body that is announced too large is refused before it is sent", async () => {
  await using server = await startServer({ limits: { bodyBytes: 1000 } });
  const head = "POST /v1/responses HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
  const socket = connect(server.port, "127.0.0.1", () =>
    socket.write(`${head}content-length: 5000\r\n\r\n{`),
  );
  const answer = await new Promise<string>((resolve) =>
    socket.once("data", (chunk) => resolve(chunk.toString())),
  );
  assert.match(answer, /^HTTP\/1\.1 413 /);
  socket.destroy();
});

test("a port in use is a set-up error that names it", async () => {
  await using first = await startServer();
  await using second = await startServer();
  await assert.rejects(
    second.server.listen("127.0.0.1", first.port),
    (error) =>
      ApiError.isInstance(error) &&
      error.code === "port_in_use" &&
      error.message.includes(String(first.port)),
  );
});

test("closing lets running requests end, turns new ones away, and cuts what takes too long", async () => {
  const pipeline = new FakePipeline();
  const release = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  pipeline.between = () => {
    begun.resolve();
    return release.promise;
  };
  const server = await startServer({}, pipeline);
  const socket = await server.connect();
  socket.send({ type: "response.create", ...body });
  await begun.promise;
  const closing = server.server.close(10_000);
  socket.send({ type: "response.create", ...body });
  const refused = (await socket.until("error")).at(-1);
  assert.equal(refused?.status, 503);
  release.resolve();
  await socket.until("response.completed");
  assert.equal(await socket.closed(), 1012);
  await closing;
  await assert.rejects(server.post("/v1/responses", body));

  const stuck = await startServer(
    {},
    Object.assign(new FakePipeline(), { between: () => new Promise(() => undefined) }),
  );
  const hanging = stuck.post("/v1/responses", { ...body, stream: true }).then((response) => response.text());
  const failed = assert.rejects(hanging);
  while (stuck.pipeline.incoming.length === 0) await new Promise((resolve) => setTimeout(resolve, 2));
  await stuck.server.close(20);
  await failed;
});
