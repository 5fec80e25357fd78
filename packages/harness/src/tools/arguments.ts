import type { JsonObject } from "@slipstream-stack/protocol";
import { ToolArgumentError } from "./tool.ts";

/** A string argument that must be there. */
export function requiredText(given: JsonObject, name: string): string {
  const value = given[name];
  if (typeof value === "string" && value !== "") return value;
  throw new ToolArgumentError(`The argument "${name}" must be a string that is not empty.`);
}

/** A string argument that may be missing. */
export function optionalText(given: JsonObject, name: string): string | null {
  const value = given[name];
  if (value === undefined || value === null || value === "") return null;
  if (typeof value === "string") return value;
  throw new ToolArgumentError(`The argument "${name}" must be a string.`);
}

/** A whole number argument that may be missing, cut to its upper limit. */
export function optionalCount(given: JsonObject, name: string, maximum: number): number | null {
  const value = given[name];
  if (value === undefined || value === null) return null;
  const number = typeof value === "string" ? Number(value) : value;
  if (typeof number === "number" && Number.isInteger(number) && number >= 1) return Math.min(number, maximum);
  throw new ToolArgumentError(`The argument "${name}" must be a whole number from 1 on.`);
}
