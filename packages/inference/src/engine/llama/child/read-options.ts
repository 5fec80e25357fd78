import type { Readable } from "node:stream";
import type { ChildOptions } from "../../wire/messages.ts";

/** Reads the one line of options that the owner writes; `onEnd` is called when the owner is gone. */
export function readOptions(input: Readable, onEnd: () => void): Promise<ChildOptions> {
  return new Promise((resolve) => {
    let text = "";
    input.setEncoding("utf8");
    input.on("data", (chunk: string) => {
      text += chunk;
      const end = text.indexOf("\n");
      if (end >= 0) resolve(JSON.parse(text.slice(0, end)) as ChildOptions);
    });
    input.on("end", onEnd);
    input.on("error", onEnd);
  });
}
