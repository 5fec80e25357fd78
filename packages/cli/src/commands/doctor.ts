import { loadConfig } from "../config/load-config.ts";
import { examineLibrary } from "../doctor/examine-library.ts";
import {
  examineCache,
  examineModel,
  examineNode,
  examinePip,
  examinePort,
  examineSandbox,
  examineState,
} from "../doctor/examine-machine.ts";
import { examineTuning } from "../doctor/examine-tuning.ts";
import { formatFindings } from "../doctor/finding.ts";
import { exitStatus } from "../errors.ts";
import { addConfigOptions, readConfigSources } from "./config-options.ts";
import type { DefineCommand } from "./define-command.ts";

export const define: DefineCommand = (command, context, done) => {
  addConfigOptions(command)
    .option("--json", "print the findings as JSON")
    .action(async (options: Record<string, unknown>) => {
      const { host } = context;
      const { config } = await loadConfig(readConfigSources(command), host);
      const findings = await Promise.all([
        examineNode(process.version),
        examineLibrary(),
        examineSandbox(host),
        examineCache(host),
        examineState(host),
        examinePip(host),
        examineModel(config, host),
        examineTuning(config, host),
        examinePort(config),
      ]);
      context.out(
        options.json === true ? `${JSON.stringify(findings, null, 2)}\n` : formatFindings(findings),
      );
      done(findings.some(({ state }) => state === "problem") ? exitStatus.setup : 0);
    });
};
