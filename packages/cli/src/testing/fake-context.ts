import type { Host } from "../host/host.ts";
import type { CommandContext } from "../terminal/command-context.ts";

/** A context whose folders lie in `folder` and whose output is kept. */
export interface FakeContext extends CommandContext {
  readonly stdout: () => string;
  readonly stderr: () => string;
}

/** A machine of its own for one command. */
export function fakeContext(folder: string, env: Host["env"] = {}): FakeContext {
  let [stdout, stderr] = ["", ""];
  return {
    host: {
      env: { SLIPSTREAM_CACHE: `${folder}/cache`, ...env },
      platform: "linux",
      homeFolder: folder,
      workingFolder: folder,
      memoryBytes: 16e9,
    },
    out: (text) => {
      stdout += text;
    },
    note: (text) => {
      stderr += text;
    },
    isTerminal: false,
    interrupt: () => new AbortController().signal,
    stdout: () => stdout,
    stderr: () => stderr,
  };
}
