import { after, before, test } from "node:test";
import { tokenEngineCases } from "@slipstream-stack/testkit";
import { TestServedModel } from "./test-served-model.ts";

let served: TestServedModel;
before(async () => {
  served = await TestServedModel.start();
});
after(async () => {
  await served[Symbol.asyncDispose]();
});

const ids = (count: number, variant: number): Uint32Array =>
  Uint32Array.from({ length: count }, (_, index) => 300 + ((variant * 401 + index * 7) % 1_900));

for (const { name, run } of tokenEngineCases) {
  test(`port: ${name}`, () => run({ engine: served.model.engine, ids }));
}
