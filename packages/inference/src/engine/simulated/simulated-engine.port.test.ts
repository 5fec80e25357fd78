import { test } from "node:test";
import { simulatedModel, tokenEngineCases } from "@slipstream-stack/testkit";

const { engine } = simulatedModel();
const ids = (count: number, variant: number) =>
  Uint32Array.from({ length: count }, (_, index) => 300 + ((variant * 401 + index * 7) % 1900));

for (const { name, run } of tokenEngineCases) test(`port: ${name}`, () => run({ engine, ids }));
