import { loadConfig } from "../config/load-config.ts";
import { configAsJson, printConfig } from "../config/print-config.ts";
import { addConfigOptions, readConfigSources } from "./config-options.ts";
import type { DefineCommand } from "./define-command.ts";

export const define: DefineCommand = (command, context, done) => {
  addConfigOptions(command)
    .option("--print", "print every value and where it comes from (the default)")
    .option("--json", "print it as JSON")
    .action(async (options: Record<string, unknown>) => {
      const loaded = await loadConfig(readConfigSources(command), context.host);
      context.out(
        options.json === true ? `${JSON.stringify(configAsJson(loaded), null, 2)}\n` : printConfig(loaded),
      );
      done(0);
    });
};
