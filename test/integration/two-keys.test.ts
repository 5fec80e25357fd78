import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Answer, authorization, httpClient, socketClient } from "../support/responses-client.ts";
import { scratchFolder } from "../support/scratch-folder.ts";
import { serve, simulatedModelId } from "../support/serve.ts";

const input = "A prompt that two strangers send, word for word, to the same server.";
const cached = ({ response }: Answer): number | undefined =>
  response.usage?.input_tokens_details.cached_tokens;

test("two keys share neither cached tokens nor responses nor laps", async () => {
  using folder = scratchFolder();
  const keysFile = join(folder.path, "keys");
  writeFileSync(keysFile, "key-one one\nkey-two two\n", { mode: 0o600 });
  await using server = await serve({
    engine: "simulated",
    folder: folder.path,
    arguments: ["--keys-file", keysFile],
  });
  const body = { model: simulatedModelId, input };
  const mine = httpClient(server.root, "key-one");
  const first = await mine.create(body);
  assert.ok(cached(await mine.create(body))! > 0, "one's own prefix is reused");

  const theirs = httpClient(server.root, "key-two");
  using theirSocket = await socketClient(server.root, "key-two");
  assert.equal(cached(await theirs.create(body)), 0);
  const fresh = { ...body, input: `${input} And over a socket.` };
  assert.ok(cached(await mine.create(fresh))! > 0);
  using anonymous = httpClient(server.root);
  await assert.rejects(anonymous.create(body), { code: "invalid_api_key", status: 401 });

  const { id } = first.response;
  const chained = { ...body, previous_response_id: id };
  assert.equal((await mine.create(chained)).response.previous_response_id, id);
  await assert.rejects(theirs.create(chained), { code: "previous_response_not_found" });
  await assert.rejects(theirSocket.create(chained), { code: "previous_response_not_found" });
  const paths = [
    `/v1/responses/${id}`,
    `/v1/responses/${id}/input_items`,
    `/slipstream/v1/responses/${id}/lap`,
  ];
  for (const path of paths) {
    const read = (key: string, method = "GET") =>
      fetch(server.root + path, { method, headers: authorization(key) });
    assert.equal((await read("key-one")).status, 200);
    const refused = await read("key-two");
    assert.equal(refused.status, 404, path);
    assert.equal(((await refused.json()) as { error: { code: string } }).error.code, "not_found");
  }
  const remove = (key: string) =>
    fetch(`${server.root}/v1/responses/${id}`, { method: "DELETE", headers: authorization(key) });
  assert.equal((await remove("key-two")).status, 404);
  assert.equal((await remove("key-one")).status, 200);
});
