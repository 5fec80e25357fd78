import type { Item } from "@slipstream-stack/protocol";

/** What the model is told about where it works. */
export interface EnvironmentFacts {
  readonly workspace: string;
  readonly platform: string;
  /** What commands may do. */
  readonly sandbox: "workspace-write" | "none";
  readonly network: boolean;
}

/** The instructions as the first item: `instructions` would not be carried along a chain. */
export function instructionsItem(instructions: string): Item {
  return { type: "message", role: "developer", content: instructions };
}

/**
 * The environment as a user message behind the instructions: the first place where two sessions may differ.
 * A change is told by another such message at the end, never by an edit of this one.
 */
export function environmentItem(facts: EnvironmentFacts): Item {
  const lines = [
    `<cwd>${facts.workspace}</cwd>`,
    `<platform>${facts.platform}</platform>`,
    "<shell>bash</shell>",
    `<sandbox>${facts.sandbox}</sandbox>`,
    `<network>${facts.network ? "on" : "off"}</network>`,
  ];
  return {
    type: "message",
    role: "user",
    content: `<environment_context>\n${lines.join("\n")}\n</environment_context>`,
  };
}
