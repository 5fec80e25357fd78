import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import { InferenceError } from "../../../errors.ts";
import { findLibrary, pickLibraryFiles } from "./find-library.ts";
import { differingFields } from "./self-check.ts";

const listings = {
  linux: [
    "libggml-base.so",
    "libggml-cpu-zen4.so",
    "libggml.v0.4.0.so",
    "libllama-common.so",
    "libllama.v0.4.0.so",
  ],
  cuda: ["libggml-base.so", "libggml-cuda.so", "libggml.cuda.v0.4.0.so", "libllama.cuda.v0.4.0.so"],
  mac: [
    "libggml-base.dylib",
    "libggml-metal.so",
    "libggml.metal.v0.4.0.dylib",
    "libllama.metal.v0.4.0.dylib",
  ],
  windows: ["ggml-base.dll", "ggml-cpu-x64.dll", "ggml.v0.4.0.dll", "llama.v0.4.0.dll"],
};

for (const [platform, names] of Object.entries(listings)) {
  test(`the three libraries are found among the files of ${platform}`, () => {
    const files = pickLibraryFiles("folder", names);
    const found = [files.ggmlBase, files.ggml, files.llama].map((path) => basename(path));
    assert.match(found[0] ?? "", /^(lib)?ggml-base\./);
    assert.match(found[1] ?? "", /^(lib)?ggml\..*v0\.4\.0/);
    assert.match(found[2] ?? "", /^(lib)?llama\..*v0\.4\.0/);
  });
}

const code = (act: () => unknown): string => {
  try {
    act();
    return "none";
  } catch (error) {
    return InferenceError.isInstance(error) ? error.code : "other";
  }
};

test("an incomplete folder and an unknown platform are missing libraries", () => {
  assert.equal(
    code(() => pickLibraryFiles("folder", ["libggml-base.so"])),
    "library_missing",
  );
  assert.equal(
    code(() => findLibrary("plan9", "mips")),
    "library_missing",
  );
});

test("a field that moved shows by its default", () => {
  assert.deepEqual(differingFields({ a: 1, b: 2, c: 3 }, { a: 1, b: 2 }), []);
  assert.deepEqual(differingFields({ a: 1, b: 0 }, { a: 1, b: 2 }), ["b"]);
  assert.deepEqual(differingFields({}, { a: 1 }), ["a"]);
});
