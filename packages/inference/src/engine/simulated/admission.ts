import type { HeldMatch } from "./held-node.ts";
import { type PromptView, parkedTokens } from "./held-node.ts";
import type { HeldTree } from "./held-tree.ts";
import type { LostBlocks } from "./lost-blocks.ts";
import type { RequestRun } from "./request-run.ts";
import type { RunTable } from "./run-table.ts";
import { sharedPrefix } from "./shared-prefix.ts";

interface AdmissionSettings {
  readonly clock: { now(): number };
  readonly maxRunning: number;
  readonly joinMs: number;
}

/** Where a request may begin: the tree's match, and how many tokens it need not evaluate. */
interface Base {
  readonly match: HeldMatch;
  readonly length: number;
  /** The run whose prefill will hold more of this prompt than is held now. */
  readonly join: RequestRun | null;
}

const nothing: HeldMatch = { border: null, length: 0, partial: null };

/** Lets waiting requests run as far as there is room, in order. */
export function admit(tree: HeldTree, runs: RunTable, lost: LostBlocks, settings: AdmissionSettings): void {
  for (const run of [...runs.waiting]) {
    if (runs.running.size >= settings.maxRunning) return;
    const now = settings.clock.now();
    const base = chooseBase(tree, runs, run);
    const joins = base.join !== null && now - run.submittedAt < settings.joinMs;
    run.awaits = joins ? base.join : null;
    if (joins) continue;
    if (!begin(tree, runs, run, base, lost, now)) return;
  }
}

/** All known tokens of a run, the sampled ones of a parked run included. */
function viewOf({ request, sequence }: RequestRun): PromptView {
  const { prompt } = request;
  return {
    length: sequence.length,
    root: prompt.root,
    boundaries: () => prompt.boundaries(),
    slice: (from, to) => sequence.slice(from, to ?? sequence.length),
  };
}

function chooseBase(tree: HeldTree, runs: RunTable, run: RequestRun): Base {
  if (!run.request.useCache) return { match: nothing, length: 0, join: null };
  const view = viewOf(run);
  const most = view.length - 1;
  const match = leaveOne(tree.match(view), most);
  if (run.request.mayFork === false) return extension(match);
  let { length } = match;
  let promised = length;
  let join: RequestRun | null = null;
  for (const other of [...runs.running, ...runs.unsettled]) {
    if (!other.request.useCache) continue;
    const shared = sharedPrefix(other.request.prompt, other.sequence.border, view, match.border);
    length = Math.max(length, Math.min(shared, other.sequence.position, most));
    if (other.state !== "running" || !other.prefilling || Math.min(shared, most) <= promised) continue;
    promised = Math.min(shared, most);
    join = other;
  }
  return { match, length, join: promised > length ? join : null };
}

/** The match as a base that nothing is copied from: all of an idle branch, or nothing. */
function extension(match: HeldMatch): Base {
  const tip = match.partial ?? match.border;
  const extendable =
    tip !== null && tip.length === match.length && tip.children.size === 0 && tip.leases === 0;
  return extendable ? { match, length: match.length, join: null } : { match: nothing, length: 0, join: null };
}

/** The match cut so that at least one token is left to evaluate. */
function leaveOne(match: HeldMatch, most: number): HeldMatch {
  const { border } = match;
  if (border === null || border.length <= most) return { ...match, length: Math.min(match.length, most) };
  return { border: border.parent, partial: border, length: most };
}

function begin(
  tree: HeldTree,
  runs: RunTable,
  run: RequestRun,
  base: Base,
  lost: LostBlocks,
  now: number,
): boolean {
  const fits = hasRoom(tree, runs, run, base.match, now);
  const { border } = base.match;
  const bordered: HeldMatch = { border, partial: null, length: border?.length ?? 0 };
  const alone = runs.running.size === 0 && base.match.partial !== null;
  if (!fits && !(alone && hasRoom(tree, runs, run, bordered, now))) return false;
  const { match, length } = fits ? base : { match: bordered, length: bordered.length };
  const first = run.admission < 0;
  const cached = run.sequence.begin(match, length, now);
  runs.admit(run);
  if (!first) return true;
  run.admittedAt = now;
  const missCause = causeOfMiss(run, length, lost);
  run.events.push({ type: "admitted", cached, queueMs: now - run.submittedAt, missCause });
  return true;
}

/** Room for all known tokens of the run, while what it stands on stays. */
function hasRoom(tree: HeldTree, runs: RunTable, run: RequestRun, match: HeldMatch, now: number): boolean {
  const { border, partial } = match;
  tree.lease(border);
  tree.lease(partial);
  const needed = run.sequence.length - (border?.length ?? 0) + parkedTokens(border);
  const fits = tree.makeRoom(needed, runs.privateTokens() + runs.promisedTokens(), now);
  tree.release(partial);
  tree.release(border);
  return fits;
}

function causeOfMiss(run: RequestRun, length: number, lost: LostBlocks): string | null {
  if (!run.request.useCache) return "reuse_off";
  for (const boundary of run.request.prompt.boundaries()) {
    if (boundary.length <= length + 1) return null;
    const cause = lost.cause(boundary.hash);
    if (cause !== null) return cause;
  }
  return null;
}
