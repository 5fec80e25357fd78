/** One thing that was looked at. `advice` says what to do when it is not well. */
export interface Finding {
  readonly name: string;
  readonly state: "ok" | "warning" | "problem";
  readonly detail: string;
  readonly advice: string | null;
}

/** All is well with it. */
export function well(name: string, detail: string): Finding {
  return { name, state: "ok", detail, advice: null };
}

/** Something works less well, or not yet. */
export function warning(name: string, detail: string, advice: string): Finding {
  return { name, state: "warning", detail, advice };
}

/** Something does not work. */
export function problem(name: string, detail: string, advice: string): Finding {
  return { name, state: "problem", detail, advice };
}

/** Findings as lines for a person. */
export function formatFindings(findings: readonly Finding[]): string {
  const marks = { ok: "ok     ", warning: "warning", problem: "PROBLEM" };
  return findings
    .map(({ name, state, detail, advice }) => {
      const line = `${marks[state]}  ${name.padEnd(10)}  ${detail}\n`;
      return advice === null ? line : `${line}${" ".repeat(21)}-> ${advice}\n`;
    })
    .join("");
}
