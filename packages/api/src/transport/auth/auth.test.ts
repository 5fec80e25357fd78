import assert from "node:assert/strict";
import { test } from "node:test";
import { WireError } from "@slipstream-stack/protocol";
import { ApiError } from "../../errors.ts";
import { createAuthenticator, defaultScope, parseKeys } from "./keys.ts";
import { isLoopback } from "./loopback.ts";
import { checkOrigin } from "./origin-guard.ts";

const isCode = (code: string) => (error: unknown) =>
  (WireError.isInstance(error) || ApiError.isInstance(error)) && error.code === code;

test("a key file has a key a line, comments, and scopes by name", () => {
  const keys = parseKeys("# team\nk1 alpha\n\n k2 alpha \r\nk3\n");
  assert.deepEqual(
    keys.map(({ key }) => key),
    ["k1", "k2", "k3"],
  );
  assert.deepEqual([keys[0]?.scope, keys[1]?.scope], ["alpha", "alpha"]);
  assert.match(keys[2]?.scope ?? "", /^key-[0-9a-f]{16}$/);
  for (const broken of ["k1 a b", "k1 bad/scope", "k\u00fc"]) {
    assert.throws(() => parseKeys(broken), isCode("keys_unreadable"));
  }
});

test("keys without a scope are tenants of their own, the same after a restart", () => {
  const [a, b] = parseKeys("k1\nk2");
  assert.notEqual(a?.scope, b?.scope);
  assert.deepEqual(parseKeys("k1")[0], a);
  assert.ok(!a?.scope.includes("k1"));
});

test("a key opens its own scope and nothing else does", () => {
  const { authenticate } = createAuthenticator(parseKeys("k1 one\nk2 two"), "0.0.0.0");
  assert.equal(authenticate("Bearer k1"), "one");
  assert.equal(authenticate("bearer  k2"), "two");
  for (const header of [
    undefined,
    "",
    "k1",
    "Bearer",
    "Bearer ",
    "Bearer k",
    "Bearer k11",
    "Basic k1",
    "Bearer k1 k2",
  ]) {
    assert.throws(() => authenticate(header), isCode("invalid_api_key"), String(header));
  }
});

test("no keys is for loopback alone", () => {
  for (const host of ["127.0.0.1", "localhost", "::1", "127.1.2.3"]) {
    assert.equal(createAuthenticator([], host).authenticate(undefined), defaultScope);
  }
  for (const host of ["0.0.0.0", "::", "192.168.1.5", "example.org", "127.0.0.1.example.org"]) {
    assert.throws(() => createAuthenticator([], host), isCode("keys_required"), host);
  }
});

test("loopback is told apart from what looks like it", () => {
  for (const host of ["127.0.0.1:4141", "[::1]:4141", "[::1]", "LOCALHOST:1"])
    assert.ok(isLoopback(host), host);
  for (const host of [
    "localhost.evil.example",
    "127.0.0.1.nip.io",
    "[::2]:1",
    "1.127.0.0",
    "",
    "[",
    "evil:127.0.0.1",
  ]) {
    assert.ok(!isLoopback(host), host);
  }
});

test("foreign origins and host names are refused", () => {
  const rules = { origins: ["https://app.example"], hosts: ["box.local", "192.168.1.5"] };
  for (const headers of [
    { host: "127.0.0.1:4141" },
    { host: "box.local:4141" },
    { host: "BOX.local" },
    { host: "192.168.1.5:1" },
    { host: "localhost", origin: "https://app.example" },
  ]) {
    checkOrigin(headers, rules);
  }
  for (const headers of [
    {},
    { host: "evil.example" },
    { host: "box.local.evil.example" },
    { host: "localhost", origin: "https://evil.example" },
    { host: "localhost", origin: "null" },
    { host: "localhost", origin: "http://localhost:3000" },
  ]) {
    assert.throws(() => checkOrigin(headers, rules), isCode("forbidden_origin"), JSON.stringify(headers));
  }
});
