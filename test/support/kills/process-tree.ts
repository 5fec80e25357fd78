import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

export interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** All processes below one, nearest first. */
export function descendants(root: number): ProcessEntry[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
  const entries = table.split("\n").flatMap((line): ProcessEntry[] => {
    const [, pid, parent, command = ""] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), parent: Number(parent), command }];
  });
  const found: ProcessEntry[] = [];
  let parents = new Set([root]);
  while (parents.size > 0) {
    const children = entries.filter((entry) => parents.has(entry.parent));
    found.push(...children);
    parents = new Set(children.map(({ pid }) => pid));
  }
  return found;
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Waits for a condition. False when it did not come true in time. */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  limitMs: number,
  everyMs = 20,
): Promise<boolean> {
  const polls = Math.ceil(limitMs / everyMs);
  for (let poll = 0; poll < polls; poll += 1) {
    if (await condition()) return true;
    await sleep(everyMs);
  }
  return false;
}
