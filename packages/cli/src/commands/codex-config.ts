import { readBaseUrl } from "../client/base-url.ts";
import { formatCodexConfig } from "../codex/format-codex-config.ts";
import { loadConfig } from "../config/load-config.ts";
import { CliError } from "../errors.ts";
import type { DefineCommand } from "./define-command.ts";

export const define: DefineCommand = (command, context, done) => {
  command
    .option("--base-url <url>", "where the server is (made from the configuration)")
    .option("--model <id>", "model that Codex asks for (made from the configuration)")
    .option("--env-key <name>", "environment variable with the API key, for a server that wants one")
    .option("--no-websockets", "let Codex use HTTP only")
    .action(async (options: { baseUrl?: string; model?: string; envKey?: string; websockets: boolean }) => {
      const { config } = await loadConfig({ flags: new Map(), file: null }, context.host);
      const { root } = readBaseUrl(options.baseUrl ?? `http://${config.host}:${config.port}`);
      const envKey = options.envKey ?? null;
      if (envKey !== null && !/^[A-Za-z_][A-Za-z0-9_]*$/.test(envKey)) {
        throw new CliError("usage_invalid", `${envKey} is no name of an environment variable.`);
      }
      const model = options.model ?? config.model;
      context.out(formatCodexConfig({ root, model, envKey, webSockets: options.websockets }));
      done(0);
    });
};
