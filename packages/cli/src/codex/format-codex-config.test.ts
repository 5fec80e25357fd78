import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCodexConfig } from "./format-codex-config.ts";

const connection = { root: "http://127.0.0.1:4141", model: 'odd "name"', envKey: null, webSockets: true };

/** Top-level keys and one table, as much TOML as the block uses. */
function parse(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let table = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("[")) table = `${line.slice(1, -1)}.`;
    const [, key, value] = /^(\w+) = (.*)$/.exec(line) ?? [];
    if (key !== undefined && value !== undefined) found.set(table + key, value);
  }
  return found;
}

test("the block names the server, its catalogue and the transport", () => {
  const block = parse(formatCodexConfig(connection));
  assert.equal(block.get("model_provider"), '"slipstream"');
  assert.equal(block.get("model_providers.slipstream.base_url"), '"http://127.0.0.1:4141/v1"');
  assert.equal(
    block.get("model_providers.slipstream.model_catalog_url"),
    '"http://127.0.0.1:4141/codex/models"',
  );
  assert.equal(block.get("model_providers.slipstream.supports_websockets"), "true");
  assert.equal(block.get("model_providers.slipstream.wire_api"), '"responses"');
  assert.equal(block.get("model"), '"odd \\"name\\""');
});

test("a key's variable stands there only when there is one", () => {
  const open = parse(formatCodexConfig(connection));
  assert.equal(open.has("model_providers.slipstream.env_key"), false);
  assert.equal(open.get("model_providers.slipstream.experimental_bearer_token"), '"none"');
  const keyed = parse(formatCodexConfig({ ...connection, envKey: "MY_KEY", webSockets: false }));
  assert.equal(keyed.get("model_providers.slipstream.env_key"), '"MY_KEY"');
  assert.equal(keyed.get("model_providers.slipstream.supports_websockets"), "false");
});

test("the provider is not called OpenAI: that switches remote compaction on in Codex", () => {
  assert.notEqual(parse(formatCodexConfig(connection)).get("model_providers.slipstream.name"), '"OpenAI"');
});
