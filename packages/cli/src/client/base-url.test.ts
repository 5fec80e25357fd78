import assert from "node:assert/strict";
import { test } from "node:test";
import { withCode } from "../testing/expect-code.ts";
import { readBaseUrl } from "./base-url.ts";

for (const text of [
  "http://localhost:4141",
  "http://localhost:4141/",
  "http://localhost:4141/v1",
  "http://localhost:4141/v1/",
]) {
  test(`${text} is understood`, () => {
    assert.deepEqual(readBaseUrl(text), {
      root: "http://localhost:4141",
      baseUrl: "http://localhost:4141/v1",
    });
  });
}

test("a path in front of /v1 stays", () => {
  assert.equal(readBaseUrl("https://host/some/v1").root, "https://host/some");
});

for (const text of ["", "localhost", "ftp://host/v1", "not a url"]) {
  test(`"${text}" is a usage error`, () => {
    assert.throws(() => readBaseUrl(text), withCode("usage_invalid"));
  });
}
