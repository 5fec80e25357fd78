import { isJsonObject, tryParseJson } from "@slipstream-stack/protocol";
import { type RecordedSession, textMessage } from "./recorded-session.ts";

interface Line {
  readonly timestamp: number;
  readonly input: string;
  readonly output: string;
}

/**
 * Reads a recording of mini-swe-agent (JSON lines, in any order). Each input there is the one before it and more;
 * the answers stand apart from it, so that they are put back where they were given.
 */
export function readMiniSweSession(name: string, text: string): RecordedSession {
  const lines = text.split("\n").flatMap(readLine);
  lines.sort((first, second) => first.timestamp - second.timestamp);
  const laps = lines.map(({ input, output }, index) => {
    const before = lines[index - 1]?.input ?? "";
    if (!input.startsWith(before))
      throw new Error(`${name}: input ${index} does not extend the one before it`);
    return {
      input: [textMessage("user", input.slice(before.length))],
      output: [textMessage("assistant", output)],
    };
  });
  return { name, laps };
}

function readLine(text: string): Line[] {
  const line = tryParseJson(text);
  if (!isJsonObject(line)) return [];
  return [
    { timestamp: Number(line.timestamp), input: String(line.input ?? ""), output: String(line.output ?? "") },
  ];
}
