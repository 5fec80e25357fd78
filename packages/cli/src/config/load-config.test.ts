import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import type { Host } from "../host/host.ts";
import { withCode } from "../testing/expect-code.ts";
import { scratchFolder } from "../testing/scratch.ts";
import { loadConfig, userConfigFile } from "./load-config.ts";
import { configAsJson, printConfig } from "./print-config.ts";

function machine(home: string, env: Host["env"] = {}): Host {
  return { env, platform: "linux", homeFolder: home, workingFolder: home, memoryBytes: 0 };
}

function writeJson(path: string, content: unknown): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const nothing = { flags: new Map<string, string>(), file: null };

test("with nothing set every value is its default", async () => {
  using home = scratchFolder();
  const { config, origins } = await loadConfig(nothing, machine(home.path));
  assert.equal(config.port, 4141);
  assert.equal(config.model, "smollm2-135m-instruct");
  assert.ok(Object.values(config.techniques).every((on) => on));
  assert.deepEqual([...new Set(origins.values())], ["default"]);
});

test("flags win over variables, variables over --config, --config over the user's file", async () => {
  using home = scratchFolder();
  const env = { SLIPSTREAM_PORT: "2", SLIPSTREAM_MODEL: "from-variable" };
  const host = machine(home.path, env);
  writeJson(userConfigFile(host), { port: 4, model: "user", store: "user", log_level: "warn" });
  const file = writeJson(join(home.path, "named.json"), { port: 3, model: "named", store: "named" });
  const { config, origins } = await loadConfig({ flags: new Map([["port", "1"]]), file }, host);
  assert.equal(config.port, 1);
  assert.equal(config.model, "from-variable");
  assert.equal(config.store, "named");
  assert.equal(config.log_level, "warn");
  assert.equal(origins.get("port"), "flag --port");
  assert.equal(origins.get("model"), "variable SLIPSTREAM_MODEL");
  assert.equal(origins.get("store"), `file ${file}`);
  assert.equal(origins.get("log_level"), `file ${userConfigFile(host)}`);
  assert.equal(origins.get("host"), "default");
});

test("techniques are merged one by one over the layers", async () => {
  using home = scratchFolder();
  const host = machine(home.path, { SLIPSTREAM_TECHNIQUES_DELTA: "off" });
  writeJson(userConfigFile(host), { techniques: { delta: true, chain: false } });
  const { config } = await loadConfig({ flags: new Map([["techniques.fork", "false"]]), file: null }, host);
  const off = Object.entries(config.techniques).filter(([, on]) => !on);
  assert.deepEqual(off.map(([name]) => name).sort(), ["chain", "delta", "fork"]);
});

test("texts become the key's type", async () => {
  using home = scratchFolder();
  const flags = new Map([
    ["allowed_origins", "http://a, http://b"],
    ["deterministic", "1"],
    ["model", "123"],
    ["context_tokens", "4096"],
  ]);
  const { config } = await loadConfig({ flags, file: null }, machine(home.path));
  assert.deepEqual(config.allowed_origins, ["http://a", "http://b"]);
  assert.equal(config.deterministic, true);
  assert.equal(config.model, "123");
  assert.equal(config.context_tokens, 4096);
});

const badFlags = [
  ["port", "eighty"],
  ["port", "70000"],
  ["engine", "other"],
  ["deterministic", "maybe"],
  ["no_such_key", "1"],
] as const;
for (const [path, text] of badFlags) {
  test(`flag ${path}=${text} is refused`, async () => {
    using home = scratchFolder();
    const sources = { flags: new Map([[path as string, text as string]]), file: null };
    await assert.rejects(loadConfig(sources, machine(home.path)), withCode("config_invalid"));
  });
}

const badFiles: readonly (readonly [string, unknown])[] = [
  ["an unknown key", { prot: 1 }],
  ["an unknown technique", { techniques: { magic: true } }],
  ["a wrong type", { port: "4141" }],
  ["no JSON", "{"],
  ["no object", [1]],
];
for (const [name, content] of badFiles) {
  test(`a file with ${name} is refused`, async () => {
    using home = scratchFolder();
    const file = writeJson(join(home.path, "c.json"), content);
    await assert.rejects(
      loadConfig({ flags: new Map(), file }, machine(home.path)),
      withCode("config_invalid"),
    );
  });
}

test("unknown variables are refused, the other variables of the programs are not", async () => {
  using home = scratchFolder();
  const wrong = machine(home.path, { SLIPSTREAM_PROT: "1" });
  await assert.rejects(loadConfig(nothing, wrong), withCode("config_invalid"));
  await loadConfig(
    nothing,
    machine(home.path, { SLIPSTREAM_CACHE: "/x", SLIPSTREAM_DATA: "/y", OTHER: "z" }),
  );
});

test("a named file must be there, the user's need not", async () => {
  using home = scratchFolder();
  const sources = { flags: new Map(), file: join(home.path, "none.json") };
  await assert.rejects(loadConfig(sources, machine(home.path)), withCode("config_unreadable"));
});

test("what is printed names each key, its value and its origin", async () => {
  using home = scratchFolder();
  const loaded = await loadConfig(nothing, machine(home.path, { SLIPSTREAM_PORT: "99" }));
  const line = printConfig(loaded)
    .split("\n")
    .find((text) => text.startsWith("port "));
  assert.match(line ?? "", /^port +99 +variable SLIPSTREAM_PORT$/);
  assert.deepEqual(configAsJson(loaded)["techniques.delta"], { value: true, origin: "default" });
});
