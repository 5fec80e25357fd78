import { tmpdir } from "node:os";
import { loadConfig } from "../config/load-config.ts";
import { addConfigOptions, readConfigSources } from "./config-options.ts";
import type { DefineCommand } from "./define-command.ts";

export const define: DefineCommand = (command, context, done) => {
  addConfigOptions(command)
    .option("--json", "print figures as JSON, the last line with all totals")
    .action(async (options: { json?: boolean }) => {
      const signal = context.interrupt();
      const sources = readConfigSources(command);
      const loaded = await loadConfig(sources, context.host);
      const { runDemo } = await import("../demo/run-demo.ts");
      await runDemo({
        context,
        sources,
        loaded,
        json: options.json === true,
        temporaryFolder: tmpdir(),
        signal,
      });
      done(0);
    });
};
