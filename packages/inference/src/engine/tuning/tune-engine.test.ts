import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { FakeClock } from "@slipstream-stack/testkit";
import { createSimulatedModel } from "../simulated/simulated-model.ts";
import { takeMeasuringLock } from "./measuring-lock.ts";
import { testMachine } from "./test-machine.ts";
import { type TuneEngineOptions, type TuneEnginePorts, tuneEngine } from "./tune-engine.ts";
import { defaultTuning, type Tuning } from "./tuning.ts";
import { tuningFile, tuningSubject } from "./tuning-cache.ts";

let folder: string;
let models = 0;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "slipstream-test-"));
});
after(() => rm(folder, { recursive: true }));

/** A model of its own on an idle machine, whose engines take a quarter longer with half the threads. */
async function scene(changes: Partial<TuneEnginePorts & TuneEngineOptions> = {}) {
  const path = join(folder, `model-${++models}.gguf`);
  await writeFile(path, "weights");
  const subject = await tuningSubject(testMachine(2), "1.0.0", path);
  const clock = new FakeClock();
  const log = { started: [] as Tuning[], closed: 0, notes: [] as number[], begunAt: 0, endedAt: 0 };
  const start = async (tuning: Tuning) => {
    log.started.push(tuning);
    const prefillMsPerToken = tuning.threads.prefill === 2 ? 0.8 : 1;
    const cost = { prefillMsPerToken, decodeMsPerStep: 4, batchFactor: 0 };
    const { engine, tokenizer } = createSimulatedModel({ id: "sim", clock, cost });
    const close = async () => {
      log.closed += 1;
      log.endedAt = clock.now();
      await engine.close(0);
    };
    return { engine, tokenizer, close };
  };
  const processorTimes = () => ({ idleMs: clock.now(), totalMs: clock.now() });
  const signal = new AbortController().signal;
  const onMeasure = (budgetMs: number) => {
    log.notes.push(budgetMs);
    log.begunAt = clock.now();
  };
  const options = { subject, cacheFolder: folder, signal, onMeasure, ...changes };
  const ports = { clock, processorTimes, start, keepEngines: true, ...changes };
  const file = tuningFile(folder, subject);
  return { clock, log, file, tune: () => whileTimePasses(clock, tuneEngine(options, ports)) };
}

async function whileTimePasses<Result>(clock: FakeClock, work: Promise<Result>): Promise<Result> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  done.catch(() => {});
  while (!isDone) {
    await clock.advance(10);
    await nextTurn();
  }
  return done;
}

test("the first start measures, the next reads what it found", async () => {
  const { tune, log } = await scene();
  const first = await tune();
  assert.equal(first.origin.kind, "measured");
  assert.deepEqual(first.tuning, { ...defaultTuning(2), threads: { prefill: 2, decode: 1 } });
  assert.deepEqual(log.notes, [15_000]);
  assert.equal(log.closed, log.started.length);
  const started = log.started.length;
  const second = await tune();
  assert.equal(second.origin.kind, "cached");
  assert.deepEqual(second.tuning, first.tuning);
  assert.deepEqual([log.started.length, log.notes.length], [started, 1]);
});

test("what was kept and cannot be read is measured anew", async () => {
  const { tune, file } = await scene();
  const first = await tune();
  await writeFile(file, "{");
  const second = await tune();
  assert.equal(second.origin.kind, "measured");
  assert.deepEqual(second.tuning, first.tuning);
});

test("two starts at once measure once", async () => {
  const { tune, log } = await scene();
  const outcomes = await Promise.all([tune(), tune()]);
  assert.deepEqual(outcomes.map(({ origin }) => origin.kind).sort(), ["cached", "measured"]);
  assert.equal(log.notes.length, 1);
});

test("another's measurement that does not end is not waited for beyond the budget", async () => {
  const { tune, file, log } = await scene({ budgetMs: 2_000 });
  await using lock = await takeMeasuringLock(`${file}.lock`);
  assert.ok(lock !== null);
  // The lock is held for as long as this test runs: that an answer comes at all shows the bound.
  const { tuning, origin } = await tune();
  assert.deepEqual([tuning, origin], [defaultTuning(2), { kind: "default", reason: "measured_elsewhere" }]);
  assert.deepEqual(log.started, []);
});

test("a busy machine is not measured, and nothing is kept", async () => {
  const busy = () => ({ idleMs: 0, totalMs: performance.now() });
  const { tune, log, file } = await scene({ processorTimes: busy });
  const { tuning, origin } = await tune();
  assert.deepEqual([tuning, origin], [defaultTuning(2), { kind: "default", reason: "machine_busy" }]);
  assert.deepEqual(log.started, []);
  assert.ok(!(await readdir(dirname(file))).some((name) => file.endsWith(name)));
});

test("an engine that does not start leaves the defaults and no lock", async () => {
  const broken = async () => {
    throw new Error("no engine");
  };
  const { tune, file } = await scene({ start: broken });
  const { tuning, origin } = await tune();
  assert.deepEqual([tuning, origin], [defaultTuning(2), { kind: "default", reason: "failed" }]);
  const lock = await takeMeasuringLock(`${file}.lock`);
  assert.ok(lock !== null);
  await lock[Symbol.asyncDispose]();
});

test("an engine too slow for the budget: the defaults, kept, so that no start waits again", async () => {
  const times: number[] = [];
  const slow = (_tuning: Tuning, signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) => {
      times.push(clock.now());
      signal.addEventListener("abort", () => {
        times.push(clock.now());
        reject(signal.reason);
      });
    });
  const { tune, clock } = await scene({ start: slow, budgetMs: 1_000 });
  const { tuning, origin } = await tune();
  assert.equal((times[1] ?? 0) - (times[0] ?? 0), 1_000);
  assert.equal(times.length, 2);
  assert.ok(origin.kind === "measured" && !origin.search.isComplete);
  assert.deepEqual(tuning, defaultTuning(2));
  assert.equal((await tune()).origin.kind, "cached");
});

test("the budget holds in the middle of a measurement, and engines are closed", async () => {
  const { tune, log } = await scene({ budgetMs: 1_500, keepEngines: false });
  const { origin } = await tune();
  assert.ok(log.endedAt - log.begunAt <= 1_600);
  assert.ok(origin.kind === "measured" && !origin.search.isComplete);
  assert.equal(log.closed, log.started.length);
});

test("who gives up gets its reason, and nothing is kept", async () => {
  const wish = new AbortController();
  const reason = new Error("enough");
  const { tune, log } = await scene({
    signal: wish.signal,
    onMeasure: () => setImmediate(() => wish.abort(reason)),
  });
  await assert.rejects(tune(), (error) => error === reason);
  assert.equal(log.closed, log.started.length);
  await assert.rejects(tune(), (error) => error === reason);
});
