import { homedir, totalmem } from "node:os";

/** What commands know of the machine and the process; handed in, so that tests can be another machine. */
export interface Host {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeFolder: string;
  readonly workingFolder: string;
  readonly memoryBytes: number;
}

/** The machine this process runs on. */
export function currentHost(): Host {
  return {
    env: process.env,
    platform: process.platform,
    homeFolder: homedir(),
    workingFolder: process.cwd(),
    memoryBytes: totalmem(),
  };
}
