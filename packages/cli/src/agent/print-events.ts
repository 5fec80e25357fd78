import type { LapFigures, TurnEvent } from "@slipstream-stack/harness";

/** Where events are shown: answers go to `out`, everything else to `note`. */
export interface EventPrinter {
  readonly out: (text: string) => void;
  readonly note: (text: string) => void;
}

const shownCharacters = 160;

/** One event per line, as `exec --json` promises. */
export function printJson(printer: EventPrinter): (event: TurnEvent) => void {
  return (event) => printer.out(`${JSON.stringify(event)}\n`);
}

/** Events for a person: calls and laps as notes, the answer when it is whole. */
export function printForPerson(printer: EventPrinter): (event: TurnEvent) => void {
  return (event) => {
    const note = noteOf(event);
    if (note !== null) printer.note(`${note}\n`);
    if (event.type !== "turn-end") return;
    const { outcome } = event;
    if ("text" in outcome && outcome.text !== "") printer.out(`${outcome.text.trimEnd()}\n`);
    if (outcome.kind === "incomplete")
      printer.note(`slipstream: the answer was cut off (${outcome.reason})\n`);
    if (outcome.kind === "lap_limit")
      printer.note(`slipstream: stopped after ${outcome.laps} laps (--max-laps)\n`);
    if (outcome.kind === "failed") printer.note(`slipstream: ${outcome.message} [${outcome.code}]\n`);
  };
}

function noteOf(event: TurnEvent): string | null {
  switch (event.type) {
    case "tool-start":
      return `> ${event.name} ${oneLine(event.input)}`;
    case "tool-end":
      return event.isError ? `  failed: ${oneLine(event.output)}` : null;
    case "retry":
      return `  again in ${Math.round(event.delayMs)} ms (${event.code})`;
    case "fallback":
      return `  ${event.from} does not work (${event.code}): using HTTP`;
    case "lap-end":
      return lapNote(event.figures);
    default:
      return null;
  }
}

function lapNote({ lap, bytesSent, mode, tokens, firstOutputMs }: LapFigures): string {
  const counts =
    tokens === null ? "" : `, ${tokens.cached} cached + ${tokens.new} new tokens, ${tokens.output} out`;
  const first = firstOutputMs === null ? "" : `, first output after ${Math.round(firstOutputMs)} ms`;
  return `  lap ${lap}: ${bytesSent} bytes (${mode})${counts}${first}`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= shownCharacters ? line : `${line.slice(0, shownCharacters)}…`;
}
