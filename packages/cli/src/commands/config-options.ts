import { type Command, Option } from "commander";
import { configKeys, flagOf, takesSwitch } from "../config/config-keys.ts";
import type { ConfigSources } from "../config/load-config.ts";

/** Gives a command `--config` and one option per configuration key. */
export function addConfigOptions(command: Command): Command {
  command.addOption(new Option("--config <file>", "configuration file (JSON)"));
  for (const key of configKeys) {
    const value = takesSwitch(key) ? "[on|off]" : "<value>";
    const option = new Option(`${flagOf(key.path)} ${value}`, `configuration key ${key.path}`);
    command.addOption(key.path.startsWith("techniques.") ? option.hideHelp() : option);
  }
  return command;
}

/** What the command line says about the configuration. */
export function readConfigSources(command: Command): ConfigSources {
  const values = command.opts<Record<string, string | true | undefined>>();
  const flags = configKeys.flatMap(({ path }) => {
    const option = command.options.find(({ long }) => long === flagOf(path));
    const value = option === undefined ? undefined : values[option.attributeName()];
    return value === undefined ? [] : [[path, value === true ? "on" : value] as const];
  });
  return { flags: new Map(flags), file: typeof values.config === "string" ? values.config : null };
}
