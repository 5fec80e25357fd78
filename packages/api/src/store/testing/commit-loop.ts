import { createSqliteStore } from "../sqlite-store.ts";
import { responseWriteFixture } from "./response-write.ts";

/**
 * Run as a program: commits chained responses to the store named first, eight chains at once, and prints each
 * id once it is acknowledged. Ids begin with the second argument, so that a later run continues beside it.
 */
const [path, run] = process.argv.slice(2);
if (path === undefined || run === undefined) throw new Error("usage: commit-loop.ts PATH RUN");

const lanes = 8;
const store = await createSqliteStore({
  path,
  onError: (error) => {
    throw error;
  },
});

async function commitForever(lane: number): Promise<void> {
  let parent: string | null = null;
  for (let depth = 0; ; depth += 1) {
    const name = `${run}.${lane}.${depth}`;
    const chain = `resp_${run}.${lane}.0`;
    const outcome = await store.commit(responseWriteFixture(name, { parent, chain, depth }));
    if (outcome.result !== "ok") throw new Error(`${name}: ${outcome.result}`);
    parent = `resp_${name}`;
    process.stdout.write(`${parent}\n`);
  }
}

await Promise.all(Array.from({ length: lanes }, (_, lane) => commitForever(lane)));
