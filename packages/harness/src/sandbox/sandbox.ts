import { HarnessError } from "../errors.ts";
import type { ShellLauncher } from "../tools/shell/kept-shell.ts";
import { bubblewrapArguments } from "./bubblewrap.ts";

/** What a user may ask for. `none` is the user's consent to run commands without a sandbox. */
export type SandboxChoice = "auto" | "bubblewrap" | "none";

/** What the machine has. */
export type SandboxSupport =
  | { readonly kind: "bubblewrap"; readonly file: string }
  | { readonly kind: "missing" }
  | { readonly kind: "unusable"; readonly reason: string };

export interface SandboxRequest {
  readonly choice: SandboxChoice;
  readonly support: SandboxSupport;
  /** Absolute real path: the one folder that commands may write to. */
  readonly workspace: string;
  /** Whether commands reach the network. */
  readonly network: boolean;
  readonly environment: Readonly<Record<string, string>>;
}

const consent = "or run with --sandbox none to let commands run without a sandbox";

/**
 * How the shell is to be started. Never falls back to an unsandboxed shell by itself: without bubblewrap it
 * throws `sandbox_missing` or `sandbox_unusable`, unless the choice is `none`.
 */
export function shellLauncher(request: SandboxRequest): ShellLauncher {
  const { choice, support, workspace, environment } = request;
  const shellArguments = ["--noprofile", "--norc"];
  if (choice === "none") {
    return { file: "bash", arguments: shellArguments, environment, directory: workspace, isolated: false };
  }
  if (support.kind === "missing") {
    throw new HarnessError(
      "sandbox_missing",
      `Commands run in a sandbox, and bubblewrap (bwrap) is not installed. Install the package "bubblewrap" ` +
        `(for example: apt-get install bubblewrap, or dnf install bubblewrap), ${consent}.`,
    );
  }
  if (support.kind === "unusable") {
    throw new HarnessError(
      "sandbox_unusable",
      `bubblewrap is installed but does not work here (${support.reason}). Allow unprivileged user namespaces, ${consent}.`,
    );
  }
  return {
    file: support.file,
    arguments: [...bubblewrapArguments(request), "bash", ...shellArguments],
    environment,
    directory: workspace,
    isolated: true,
  };
}
