import assert from "node:assert/strict";
import { test } from "node:test";
import { withCode } from "../testing/expect-code.ts";
import { mapFileError } from "./map-file-error.ts";

const systemError = (code: string) => Object.assign(new Error(code), { code });

const cases = [
  ["ENOSPC", "disk_full"],
  ["EDQUOT", "disk_full"],
  ["EACCES", "folder_unwritable"],
  ["EROFS", "folder_unwritable"],
  ["ENOTDIR", "folder_unwritable"],
  ["ENOENT", "folder_unwritable"],
] as const;
for (const [system, code] of cases) {
  test(`${system} is ${code}, with the cause kept`, () => {
    const cause = systemError(system);
    const mapped = mapFileError(cause, "/folder");
    assert.ok(withCode(code)(mapped));
    assert.equal((mapped as Error).cause, cause);
  });
}

test("anything else passes as it is", () => {
  for (const error of [systemError("EIO"), new Error("x"), null, undefined, "text"]) {
    assert.equal(mapFileError(error, "/folder"), error);
  }
});
