import type { TrajectoryLine } from "@slipstream-stack/protocol";

/** What an agent looks at again while it works; each answers with little, and none changes the project. */
const looks = [
  "grep -n awk report.sh",
  "head -3 orders.csv",
  "wc -l orders.csv report.sh test.sh",
  "sh test.sh",
  "tail -2 expected.txt",
  "cut -d, -f2 orders.csv | sort | uniq -c",
  "grep -c paid orders.csv",
  "ls -1",
] as const;

/**
 * Lengthens a recorded session to so many laps: its calls, then further looks around, then its own last answer.
 * The session must end with its answer and not be longer already.
 */
export function lengthenTrajectory(lines: readonly TrajectoryLine[], laps: number): TrajectoryLine[] {
  const answer = lines.at(-1);
  if (answer === undefined || lines.length > laps) {
    throw new RangeError(`a session of ${lines.length} laps cannot be lengthened to ${laps}`);
  }
  const added = Array.from({ length: laps - lines.length }, (_, index) => callLine(index));
  return [...lines.slice(0, -1), ...added, answer];
}

function callLine(index: number): TrajectoryLine {
  return shellLine(`call_look_${index + 1}`, looks[index % looks.length] ?? looks[0]);
}

/** A lap in which the model makes one call of the shell. */
export function shellLine(callId: string, command: string): TrajectoryLine {
  const call = { type: "function_call", call_id: callId, name: "shell" };
  return { output: [{ ...call, arguments: JSON.stringify({ command }) }] };
}

/** A lap in which the model answers. */
export function answerLine(text: string): TrajectoryLine {
  return { output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }] };
}

/** The text of a trajectory file. */
export function trajectoryText(lines: readonly TrajectoryLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
