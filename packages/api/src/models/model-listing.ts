import type { JsonObject } from "@slipstream-stack/protocol";

/** A model as its listings show it. */
export interface ModelListing {
  readonly id: string;
  /** Seconds since 1970. */
  readonly created: number;
  readonly ownedBy: string;
  readonly displayName: string;
  /** Tokens of prompt and output together that the engine really holds. */
  readonly contextLength: number;
  /** Whether Codex is told to offer its free-form `apply_patch`. */
  readonly freeformApplyPatch: boolean;
}

/** A model as `GET /v1/models/{id}` answers. */
export function modelObject(model: ModelListing): JsonObject {
  return {
    id: model.id,
    object: "model",
    created: model.created,
    owned_by: model.ownedBy,
    context_length: model.contextLength,
  };
}

/** The answer of `GET /v1/models`. */
export function modelList(models: readonly ModelListing[]): JsonObject {
  return { object: "list", data: models.map(modelObject) };
}
