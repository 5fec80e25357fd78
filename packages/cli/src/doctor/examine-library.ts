import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Finding, problem, well } from "./finding.ts";

const program = fileURLToPath(new URL("library-process.ts", import.meta.url));
const timeoutMs = 30_000;

/** Loads llama.cpp in a process of its own and runs its self-check: a wrong build may abort the process. */
export function examineLibrary(): Promise<Finding> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program], {
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
    });
    let text = "";
    const keep = (chunk: Buffer): void => {
      text = (text + chunk.toString("utf8")).slice(-2000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", (error) => resolve(unusable(error.message)));
    child.once("close", (code, signal) => {
      const reason = text.trim().split("\n").at(-1) ?? "";
      resolve(
        code === 0 ? well("library", reason) : unusable(`${reason || "no message"} (${signal ?? code})`),
      );
    });
  });
}

function unusable(reason: string): Finding {
  return problem(
    "library",
    `llama.cpp cannot be used: ${reason}`,
    "Run npm ci, or serve with --engine simulated.",
  );
}
