import type { Scope } from "@slipstream-stack/inference";
import {
  type JsonObject,
  type RequestSettings,
  type ResponseObject,
  tryParseJson,
} from "@slipstream-stack/protocol";
import { resolveSettings } from "../settings/resolved-settings.ts";
import type { Page, StoredResponse } from "../store/store.ts";
import type { StoredResponses } from "../transport/service.ts";
import type { RespondDependencies } from "./dependencies.ts";
import { listedItem } from "./listed-item.ts";
import { responseObject } from "./response-object.ts";

/** Retrieve, delete and list for responses with `store:true`. */
export function storedResponses({ store, chains }: RespondDependencies): StoredResponses {
  return {
    async retrieve(scope: Scope, id: string) {
      const stored = await store.response(scope, id);
      return stored === null ? null : toResponse(stored);
    },
    async remove(scope: Scope, id: string) {
      chains.remove(scope, id);
      return await store.remove(scope, id);
    },
    async inputItems(scope: Scope, id: string, page: Page) {
      const found = await store.inputItems(scope, id, page);
      return found === null ? null : { ...found, data: found.data.map(listedItem) };
    },
  };
}

/** The response object as it was sent: the stored body, its output items, and the settings it shares. */
function toResponse({ body, items, inputCount, settings }: StoredResponse): ResponseObject {
  const given = tryParseJson(new TextDecoder().decode(settings)) as unknown as RequestSettings;
  const kept = body as unknown as Pick<
    ResponseObject,
    | "id"
    | "created_at"
    | "completed_at"
    | "status"
    | "error"
    | "incomplete_details"
    | "usage"
    | "previous_response_id"
  > & { metadata: JsonObject };
  const header = {
    id: kept.id,
    createdAt: kept.created_at,
    previousResponseId: kept.previous_response_id,
    store: true,
    metadata: kept.metadata as Record<string, string>,
    settings: resolveSettings(given),
  };
  return responseObject(header, {
    status: kept.status,
    output: items.slice(inputCount),
    usage: kept.usage,
    error: kept.error,
    incompleteReason: kept.incomplete_details?.reason ?? null,
    completedAt: kept.completed_at,
  });
}
