import { readFileSync } from "node:fs";

/** How `docs/compatibility.md` says something is treated. */
export interface DocumentedRow {
  readonly name: string;
  readonly treatment: string;
}

const document = readFileSync(new URL("../../../docs/compatibility.md", import.meta.url), "utf8");

/** The rows of the table below a heading; a first cell that names several things gives a row each. */
export function documentedRows(heading: string): DocumentedRow[] {
  const section = document.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`docs/compatibility.md has no section "${heading}"`);
  const rows = section.split("\n").filter((line) => line.startsWith("| `"));
  return rows.flatMap((line) => {
    // A bar inside a cell is written as \|.
    const [, first = "", treatment = ""] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return [...first.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => ({ name, treatment }));
  });
}
