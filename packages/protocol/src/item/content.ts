import { z } from "zod";

/** Text given by the client inside a message or a tool output. */
const inputTextSchema = z.looseObject({ type: z.literal("input_text"), text: z.string() });
/** Text the model wrote. `annotations` and `logprobs` are never rendered. */
const outputTextSchema = z.looseObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.unknown()).nullish(),
  logprobs: z.array(z.unknown()).nullish(),
});
/** A refusal the model wrote in place of an answer. */
const refusalSchema = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });
/** Plain text as some clients (Agents SDK, older Codex) send it. */
const plainTextSchema = z.looseObject({ type: z.literal("text"), text: z.string() });
/** An image by URL (also a data URL) or by file id. */
const inputImageSchema = z.looseObject({
  type: z.literal("input_image"),
  image_url: z.string().nullish(),
  file_id: z.string().nullish(),
  detail: z.string().nullish(),
});
/** A file by content, id or URL. */
const inputFileSchema = z.looseObject({ type: z.literal("input_file"), filename: z.string().nullish() });
/** A part of a type this version does not know; kept as it came. */
const unknownPartSchema = z.looseObject({ type: z.string() });

const knownPartSchema = z.discriminatedUnion("type", [
  inputTextSchema,
  outputTextSchema,
  refusalSchema,
  plainTextSchema,
  inputImageSchema,
  inputFileSchema,
]);

const knownPartTypes = new Set(["input_text", "output_text", "refusal", "text", "input_image", "input_file"]);

/** Any content part: the known ones checked, unknown ones kept. */
const contentPartSchema = unknownPartSchema.superRefine((part, context) => {
  if (!knownPartTypes.has(part.type)) return;
  const checked = knownPartSchema.safeParse(part);
  if (checked.success) return;
  for (const issue of checked.error.issues) context.addIssue({ ...issue });
});
export type ContentPart = z.infer<typeof unknownPartSchema>;

/** Content as a client may give it: one string, or parts. */
export const contentSchema = z.union([z.string(), z.array(contentPartSchema)]);
export type Content = string | ContentPart[];

/** The fixed text that stands for an image or file the local model cannot see. */
const attachmentMarker = { input_image: "[image]", input_file: "[file]" } as const;

/** The text of a content part as it is rendered; unknown parts render nothing. */
export function partText(part: ContentPart): string {
  if (typeof part.text === "string") return part.text;
  if (typeof part.refusal === "string") return part.refusal;
  if (part.type === "input_image") return attachmentMarker.input_image;
  if (part.type === "input_file") return attachmentMarker.input_file;
  return "";
}

/** The text of a content, its parts joined without a separator. */
export function contentText(content: Content | null | undefined): string {
  if (content === null || content === undefined) return "";
  return typeof content === "string" ? content : content.map(partText).join("");
}
