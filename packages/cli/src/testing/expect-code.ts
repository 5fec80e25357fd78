import { CliError, type CliErrorCode } from "../errors.ts";

/** For `assert.rejects`: an error of this package with this code. */
export function withCode(code: CliErrorCode): (error: unknown) => boolean {
  return (error) => CliError.isInstance(error) && error.code === code;
}
