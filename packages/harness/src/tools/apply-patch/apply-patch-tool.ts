import { readFile, stat } from "node:fs/promises";
import type { IdSource } from "../../ports/ids.ts";
import { requiredText } from "../arguments.ts";
import { type HarnessTool, success, ToolArgumentError } from "../tool.ts";
import { writablePath } from "../workspace-path.ts";
import { applyChunks } from "./apply-chunks.ts";
import { FileTransaction } from "./file-transaction.ts";
import { type FileChange, parsePatch } from "./parse-patch.ts";

const maxFileBytes = 16 * 1024 * 1024;

export interface ApplyPatchOptions {
  /** Absolute real path; nothing outside of it is ever written. */
  readonly workspace: string;
  readonly ids: IdSource;
}

/** A change worked out in memory, ready to be written. */
type PlannedChange =
  | {
      readonly kind: "write";
      readonly path: string;
      readonly content: string;
      readonly modeOf: string | null;
    }
  | { readonly kind: "remove"; readonly path: string };

/** The `apply_patch` tool: adds, changes, moves and deletes files; all of a patch or nothing. */
export function applyPatchTool(options: ApplyPatchOptions): HarnessTool {
  return {
    definition: {
      type: "function",
      name: "apply_patch",
      description: `Change files. Format:
*** Begin Patch
*** Update File: path
@@ optional line before the change
 context
-old
+new
*** Add File: path
+line
*** Delete File: path
*** End Patch
Give about 3 lines of context. Behind Update File, "*** Move to: path" renames.`,
      parameters: {
        type: "object",
        properties: { patch: { type: "string" } },
        required: ["patch"],
        additionalProperties: false,
      },
    },
    parallel: false,
    async run(given) {
      const changes = parsePatch(requiredText(given, "patch"));
      const planned = await plan(options.workspace, changes);
      await write(planned, options.ids);
      return success(`Done.\n${changes.map(summary).join("\n")}`);
    },
  };
}

function summary(change: FileChange): string {
  if (change.kind === "add") return `A ${change.path}`;
  if (change.kind === "delete") return `D ${change.path}`;
  return change.moveTo === null ? `M ${change.path}` : `R ${change.path} -> ${change.moveTo}`;
}

async function plan(workspace: string, changes: readonly FileChange[]): Promise<PlannedChange[]> {
  const planned: PlannedChange[] = [];
  const touched = new Set<string>();
  const claim = async (path: string): Promise<string> => {
    const target = await writablePath(workspace, path);
    if (touched.has(target)) {
      throw new ToolArgumentError(`${path} is changed twice; put its changes together. Nothing was changed.`);
    }
    touched.add(target);
    return target;
  };
  for (const change of changes) {
    const path = await claim(change.path);
    if (change.kind === "add") {
      planned.push({ kind: "write", path, content: change.content, modeOf: null });
      continue;
    }
    await requireFile(path, change.path);
    if (change.kind === "delete") {
      planned.push({ kind: "remove", path });
      continue;
    }
    const content = await readText(path, change.path);
    const target = change.moveTo === null ? path : await claim(change.moveTo);
    const changed = applyChunks(change.path, content, change.chunks);
    planned.push({ kind: "write", path: target, content: changed, modeOf: path });
    if (target !== path) planned.push({ kind: "remove", path });
  }
  return planned;
}

async function requireFile(path: string, shown: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) throw new ToolArgumentError(`There is no file ${shown}. Nothing was changed.`);
  if (!found.isFile()) throw new ToolArgumentError(`${shown} is not a regular file. Nothing was changed.`);
  if (found.size > maxFileBytes)
    throw new ToolArgumentError(`${shown} is too large to patch. Nothing was changed.`);
}

async function readText(path: string, shown: string): Promise<string> {
  const bytes = await readFile(path);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolArgumentError(`${shown} is not UTF-8 text. Nothing was changed.`);
  }
}

async function write(planned: readonly PlannedChange[], ids: IdSource): Promise<void> {
  const transaction = new FileTransaction(() => ids.next("patch"));
  try {
    for (const change of planned) {
      if (change.kind === "write") await transaction.write(change.path, change.content, change.modeOf);
      else await transaction.remove(change.path);
    }
  } catch (error) {
    await transaction.undo();
    const message = error instanceof Error ? error.message : String(error);
    throw new ToolArgumentError(`The patch could not be written and was undone: ${message}`);
  }
}
