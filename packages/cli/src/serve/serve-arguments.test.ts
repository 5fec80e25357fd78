import assert from "node:assert/strict";
import { test } from "node:test";
import { layerFromFlags } from "../config/config-layer.ts";
import { mergeLayers } from "../config/load-config.ts";
import { serveArguments } from "./serve-arguments.ts";

const argumentsFor = (flags: readonly (readonly [string, string])[], file: string | null = null) => {
  const map = new Map(flags);
  return serveArguments({ flags: map, file }, mergeLayers([layerFromFlags(map)])).join(" ");
};

test("a child keeps its responses in memory and is quiet, unless told otherwise", () => {
  assert.equal(argumentsFor([]), "--store :memory: --log-level warn");
  assert.equal(
    argumentsFor([
      ["store", "/x"],
      ["log_level", "debug"],
    ]),
    "--store /x --log-level debug",
  );
});

test("flags and the configuration file travel, address and port do not", () => {
  const text = argumentsFor(
    [
      ["port", "1"],
      ["host", "::1"],
      ["techniques.prefix_reuse", "off"],
    ],
    "/c.json",
  );
  assert.match(text, /^--config \/c\.json --techniques-prefix-reuse off /);
  assert.doesNotMatch(text, /--port|--host/);
});
