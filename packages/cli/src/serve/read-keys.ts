import { readFile } from "node:fs/promises";
import { type ApiKey, parseKeys } from "@slipstream-stack/api";
import { CliError } from "../errors.ts";

/**
 * Bearer keys of the file and of `SLIPSTREAM_API_KEYS` (separated by commas) together.
 * @throws CliError `config_unreadable`; ApiError `keys_unreadable`
 */
export async function readKeys(file: string | null, variable: string | undefined): Promise<ApiKey[]> {
  const fromVariable = parseKeys((variable ?? "").replaceAll(",", "\n"));
  if (file === null) return fromVariable;
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    throw new CliError("config_unreadable", `The key file ${file} cannot be read.`, error);
  });
  const fromFile = parseKeys(text);
  if (fromFile.length === 0) throw new CliError("config_invalid", `The key file ${file} has no key in it.`);
  return [...fromFile, ...fromVariable];
}
