import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { HarnessError } from "@slipstream-stack/harness";
import { CliError } from "./errors.ts";
import { reportError, runProgram } from "./program.ts";
import { fakeContext } from "./testing/fake-context.ts";
import { makeGguf } from "./testing/make-gguf.ts";
import { scratchFolder } from "./testing/scratch.ts";

async function run(folder: string, ...programArguments: string[]) {
  const context = fakeContext(folder);
  const status = await runProgram(programArguments, context);
  return { status, out: context.stdout(), note: context.stderr() };
}

test("help names every command and ends with 0, as does the version", async () => {
  using home = scratchFolder();
  const help = await run(home.path, "--help");
  assert.equal(help.status, 0);
  for (const name of [
    "demo",
    "serve",
    "exec",
    "run",
    "models",
    "explain",
    "codex-config",
    "doctor",
    "config",
  ]) {
    assert.match(help.out, new RegExp(`^ +${name} `, "m"));
  }
  assert.equal((await run(home.path, "--version")).status, 0);
  assert.match((await run(home.path, "serve", "--help")).out, /--teacher-forcing <value>/);
});

const usageFaults = [
  ["nothing-like-this"],
  ["serve", "--no-such-option", "1"],
  ["serve", "--port", "eighty"],
  ["serve", "--engine", "other"],
  ["exec"],
  ["exec", " "],
  ["exec", "task", "--sandbox", "perhaps"],
  ["exec", "task", "--max-laps", "0"],
  ["exec", "task", "--base-url", "nowhere"],
  ["models", "pull", "no-such-model"],
  ["codex-config", "--env-key", "not a name"],
  ["config", "--config", "missing.json"],
];
for (const line of usageFaults) {
  test(`${line.join(" ")}: usage, said on the notes only`, async () => {
    using home = scratchFolder();
    const { status, out, note } = await run(home.path, ...line);
    assert.equal(status, 2, note);
    assert.equal(out, "");
    assert.notEqual(note, "");
  });
}

test("a model that is not here, or broken, is set-up", async () => {
  using home = scratchFolder();
  const broken = join(home.path, "broken.gguf");
  writeFileSync(broken, "no model");
  for (const model of ["smollm2-135m-instruct", broken, "./none.gguf"]) {
    assert.equal((await run(home.path, "serve", "--port", "0", "--model", model)).status, 3, model);
  }
  assert.equal((await run(home.path, "models", "add", broken)).status, 3);
});

test("models are added, listed, shown and removed; the user's file stays", async () => {
  using home = scratchFolder();
  const path = join(home.path, "Mine.gguf");
  writeFileSync(path, makeGguf("mine"));
  assert.equal((await run(home.path, "models", "add", path)).out, `mine ${path}\n`);
  const listed = JSON.parse((await run(home.path, "models", "list", "--json")).out) as { id: string }[];
  assert.equal(listed.at(-1)?.id, "mine");
  assert.match((await run(home.path, "models", "list")).out, /^mine +here /m);
  assert.equal(JSON.parse((await run(home.path, "models", "show", "mine")).out).installed.id, "mine");
  assert.equal((await run(home.path, "models", "remove", "mine")).status, 0);
  assert.equal((await run(home.path, "models", "remove", "mine")).status, 3);
  assert.equal(existsSync(path), true);
});

test("a port that is taken is said before a model is loaded", async () => {
  using home = scratchFolder();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const { status, note } = await run(home.path, "serve", "--port", String(port), "--engine", "simulated");
  await new Promise((resolve) => other.close(resolve));
  assert.equal(status, 3);
  assert.match(note, /port_in_use/);
});

test("explain: no server, an unknown response, a refusal", async () => {
  using home = scratchFolder();
  const answers: [number, string][] = [
    [404, "{}"],
    [401, '{"error":{"message":"no key"}}'],
  ];
  const server = createServer((_request, response) => {
    const [status, body] = answers.shift() ?? [500, ""];
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const explain = () => run(home.path, "explain", "resp_1", "--base-url", url);
  assert.equal((await explain()).status, 1);
  assert.equal((await explain()).status, 4);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  assert.equal((await explain()).status, 4);
});

test("the configuration is printed as text and as JSON", async () => {
  using home = scratchFolder();
  assert.match((await run(home.path, "config", "--port", "7")).out, /^port +7 +flag --port$/m);
  const json = JSON.parse((await run(home.path, "config", "--json", "--techniques-delta", "off")).out);
  assert.deepEqual(json["techniques.delta"], { value: false, origin: "flag --techniques-delta" });
  assert.match((await run(home.path, "codex-config")).out, /base_url = "http:\/\/127\.0\.0\.1:4141\/v1"/);
});

test("an interrupt is 130, an error of another package has its own status, an error nobody foresaw 5 and in full", () => {
  const context = fakeContext("/none");
  assert.equal(reportError(new DOMException("stop", "AbortError"), context), 130);
  assert.equal(reportError(new CliError("source_unreachable", "no network"), context), 3);
  assert.equal(reportError(new HarnessError("sandbox_missing", "install it"), context), 3);
  assert.match(context.stderr(), /install it \[sandbox_missing\]/);
  assert.equal(reportError(new TypeError("x is not a function"), context), 5);
  assert.match(context.stderr(), /program\.test\.ts/);
});
