import type { JsonObject } from "@slipstream-stack/protocol";
import type { ModelListing } from "./model-listing.ts";

/** Short on purpose: Codex's own instructions take 17 kB of a small model's context. */
const instructionsTemplate =
  "You are a coding agent. Work in the current folder with the tools you have. Be brief and exact.";

/** Codex compacts at this share of the window, so that the summary still fits. */
const compactShare = 0.8;
/** Tool output Codex lets through, as a share of the window; at most its own default. */
const outputShare = 0.1;
const outputLimit = 10_000;

function entry(model: ModelListing, priority: number): JsonObject {
  const window = model.contextLength;
  return {
    slug: model.id,
    display_name: model.displayName,
    supported_reasoning_levels: [{ effort: "medium", description: "The model's own way to think." }],
    shell_type: "unified_exec",
    visibility: "list",
    supported_in_api: true,
    priority,
    support_verbosity: false,
    truncation_policy: { mode: "tokens", limit: Math.min(outputLimit, Math.floor(window * outputShare)) },
    experimental_supported_tools: [],
    context_window: window,
    max_context_window: window,
    auto_compact_token_limit: Math.floor(window * compactShare),
    input_modalities: ["text"],
    model_messages: { instructions_template: instructionsTemplate },
    ...(model.freeformApplyPatch ? { apply_patch_tool_type: "freeform" } : {}),
  };
}

/**
 * The catalogue Codex fetches from `model_catalog_url`: what it needs to know of each model, so that it sends
 * a short prompt and compacts in time (wire specification, 17.10).
 */
export function codexCatalogue(models: readonly ModelListing[]): JsonObject {
  return { models: models.map((model, index) => entry(model, index + 1)) };
}
