import { z } from "zod";
import type { JsonObject } from "./json.ts";

/** `text.format`: free text, any JSON, or JSON held to a schema. */
export const textFormatSchema = z.union([
  z.looseObject({ type: z.literal("text") }),
  z.looseObject({ type: z.literal("json_object") }),
  z.looseObject({
    type: z.literal("json_schema"),
    name: z.string().min(1).max(64),
    schema: z.custom<JsonObject>(
      (value) => typeof value === "object" && value !== null && !Array.isArray(value),
    ),
    strict: z.boolean().nullish(),
    description: z.string().nullish(),
  }),
]);
export type TextFormat = z.infer<typeof textFormatSchema>;
