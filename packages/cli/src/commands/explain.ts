import { explainLap } from "@slipstream-stack/api";
import type { LapRecord } from "@slipstream-stack/protocol";
import { readBaseUrl } from "../client/base-url.ts";
import { errorMessage, fetchJson } from "../client/fetch-json.ts";
import { CliError } from "../errors.ts";
import type { DefineCommand } from "./define-command.ts";

const timeoutMs = 10_000;

export const define: DefineCommand = (command, context, done) => {
  command
    .argument("<id>", "id of a response")
    .option("--base-url <url>", "server that gave the response", "http://127.0.0.1:4141/v1")
    .option("--json", "print the record as JSON")
    .action(async (id: string, options: { baseUrl: string; json?: boolean }) => {
      const { root } = readBaseUrl(options.baseUrl);
      const { status, body } = await fetchJson({
        url: `${root}/slipstream/v1/responses/${encodeURIComponent(id)}/lap`,
        apiKey: context.host.env.SLIPSTREAM_API_KEY,
        timeoutMs,
        signal: context.interrupt(),
      });
      if (status === 404) {
        const reason = "The server keeps the records of recent and of stored responses only.";
        throw new CliError("not_found", `There is no record of ${id}. ${reason}`);
      }
      if (status !== 200)
        throw new CliError("server_refused", `The server answered ${status}: ${errorMessage(body)}`);
      context.out(
        options.json === true ? `${JSON.stringify(body)}\n` : `${explainLap(body as LapRecord).join("\n")}\n`,
      );
      done(0);
    });
};
