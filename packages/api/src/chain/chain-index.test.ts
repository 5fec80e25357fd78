import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Item } from "@slipstream-stack/protocol";
import fc from "fast-check";
import type { RenderState } from "../render/dialect.ts";
import { Rope } from "../rope/rope.ts";
import { ChainIndex } from "./chain-index.ts";
import { type ChainNode, type HeadNode, itemsUpTo, markAt } from "./chain-node.ts";
import { ConnectionChains } from "./connection-chains.ts";
import { nextLineage } from "./lineage.ts";

const root = "0".repeat(32);
const state = {} as RenderState;
const head: HeadNode = { hash: "head", rope: Rope.empty(root), state, lineage: "begin" };

function item(text: string): Item {
  return { type: "message", role: "user", content: text };
}

function node(
  id: string,
  parent: ChainNode | null,
  texts: readonly string[],
  kept = parent?.items.length ?? 0,
): ChainNode {
  const items = texts.map(item);
  const start = parent === null ? null : markAt({ node: parent, kept });
  let lineage = start?.lineage ?? head.lineage;
  let rope = parent === null ? head.rope : parent.rope.cut(start?.end ?? 0);
  const marks = items.map((entry) => {
    lineage = nextLineage(lineage, entry);
    rope = rope.append([{ kind: "input", ids: Uint32Array.of(rope.length, 7, 8), item: null }]);
    return { lineage, end: rope.length, aligned: true, state };
  });
  return {
    id,
    scope: "s",
    parent,
    parentItems: kept,
    itemsBefore: parent === null ? 0 : parent.itemsBefore + kept,
    head,
    items,
    inputCount: items.length,
    marks,
    rope,
    model: "m",
    settings: "x",
    fingerprint: "f",
    chain: parent?.chain ?? id,
    depth: parent === null ? 0 : parent.depth + 1,
    stored: false,
    endedAt: 0,
  };
}

function lineagesOf(texts: readonly string[]): string[] {
  const lineages: string[] = [];
  for (const text of texts) lineages.push(nextLineage(lineages.at(-1) ?? head.lineage, item(text)));
  return lineages;
}

describe("ChainIndex", () => {
  it("finds the deepest boundary of any chain, inside nodes too", () => {
    const index = new ChainIndex(1_000_000);
    const a = node("a", null, ["1", "2"]);
    const b = node("b", a, ["3", "4"]);
    index.commit(a);
    index.commit(b);
    const found = index.byLineage(lineagesOf(["1", "2", "3", "other"]));
    assert.deepEqual([found?.position.node.id, found?.position.kept, found?.items], ["b", 1, 3]);
    assert.equal(index.byLineage(lineagesOf(["other"])), null);
  });

  it("tells a position's items and mark through forks", () => {
    const a = node("a", null, ["1", "2", "3"]);
    const fork = node("f", a, ["4"], 2);
    const texts = itemsUpTo({ node: fork, kept: 1 }).map((entry) => (entry as { content: string }).content);
    assert.deepEqual(texts, ["1", "2", "4"]);
    assert.deepEqual(markAt({ node: fork, kept: 0 }), a.marks[1]);
    assert.equal(fork.marks[0]?.lineage, lineagesOf(["1", "2", "4"]).at(-1));
  });

  it("knows an id only in its scope, and not after removal", () => {
    const index = new ChainIndex(1_000_000);
    const a = node("a", null, ["1"]);
    index.commit(a);
    assert.equal(index.byId("s", "a"), a);
    assert.equal(index.byId("other", "a"), null);
    index.remove("s", "a");
    assert.equal(index.byId("s", "a"), null);
    assert.equal(index.byLineage(lineagesOf(["1"])), null);
    assert.deepEqual(index.load(), { nodes: 0, lineages: 0, bytes: 0, bytesLimit: 1_000_000 });
  });

  it("stays within its bytes, and no node leaves before one that continues it", () => {
    const growth = fc.array(fc.record({ from: fc.nat(), text: fc.string({ maxLength: 5 }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(growth, (steps) => {
        const limit = 6_000;
        const index = new ChainIndex(limit);
        const all: ChainNode[] = [];
        const joined = new Set<ChainNode>();
        const isHeld = (entry: ChainNode) => index.byId("s", entry.id) === entry;
        steps.forEach(({ from, text }, count) => {
          const parent = all.length === 0 || from % 5 === 0 ? null : (all[from % all.length] ?? null);
          const made = node(`n${count}`, parent, [`${text}${count}`]);
          if (parent !== null && isHeld(parent)) joined.add(made);
          all.push(made);
          index.commit(made);
          assert.ok(index.load().bytes <= limit || index.load().nodes <= 1 + made.depth);
          const orphans = [...joined].filter(
            (entry) => isHeld(entry) && entry.parent !== null && !isHeld(entry.parent),
          );
          assert.deepEqual(orphans, []);
        });
        assert.equal(index.load().lineages, index.load().nodes);
      }),
      { numRuns: 60 },
    );
  });
});

describe("ConnectionChains", () => {
  it("reaches the latest response of each lane from every lane of its connection", () => {
    const chains = new ConnectionChains();
    chains.advance("c", "", "r1");
    chains.advance("c", "fork", "r2");
    chains.advance("c", "", "r3");
    assert.deepEqual(
      ["r1", "r2", "r3"].map((id) => chains.reaches("c", id)),
      [false, true, true],
    );
    assert.equal(chains.reaches("d", "r3"), false);
  });

  it("evicts on the same lane only, and forgets a closed connection", () => {
    const chains = new ConnectionChains();
    chains.advance("c", "", "r1");
    assert.equal(chains.evict("c", "fork", "r1"), false);
    assert.equal(chains.reaches("c", "r1"), true);
    assert.equal(chains.evict("c", "", "r1"), true);
    assert.equal(chains.reaches("c", "r1"), false);
    chains.advance("c", "", "r2");
    assert.deepEqual(chains.close("c"), ["r2"]);
    assert.equal(chains.reaches("c", "r2"), false);
  });
});
