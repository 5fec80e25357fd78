import { type CreateRequest, type Item, type RequestSettings, WireError } from "@slipstream-stack/protocol";
import type { ChainNode, HeadNode } from "../chain/chain-node.ts";
import type { ModelRuntime } from "../plan/model-runtime.ts";
import type { Anew, PlanInput } from "../plan/renderer.ts";
import type { HeadSettings } from "../render/dialect.ts";
import { inheritSettings, requireSettings } from "../settings/inherit-settings.ts";
import type { ResolvedSettings } from "../settings/resolved-settings.ts";
import { pickSettings } from "../settings/settings-cache.ts";
import { checkCallIds } from "./check-call-ids.ts";
import type { RespondDependencies } from "./dependencies.ts";
import { type Base, baseById, baseByLineage, freshBase, itemsBefore, withoutTokens } from "./find-base.ts";
import { findNode } from "./find-node.ts";
import { toHeadSettings } from "./head-settings.ts";
import type { IncomingCreate } from "./incoming.ts";

/** A request with everything that had to be looked up for it. */
export interface ResolvedRequest {
  readonly incoming: IncomingCreate;
  readonly settings: ResolvedSettings;
  readonly runtime: ModelRuntime;
  readonly head: HeadNode;
  readonly headSettings: HeadSettings;
  /** Tokens of the head that were tokenized for this request although they were known. */
  readonly headTokens: number;
  readonly anew: Anew;
  readonly input: readonly Item[];
  readonly previous: ChainNode | null;
  /** Settings of the response it names, as far as they are still known. */
  readonly previousSettings: ResolvedSettings | null;
  readonly base: Base;
  readonly store: boolean;
}

/** The input as items; a string is one user message. */
function inputItems(request: Partial<CreateRequest>): readonly Item[] {
  const { input } = request;
  if (input === undefined || input === null) return [];
  return typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
}

/**
 * Looks up what a request refers to and what it continues.
 * @throws WireError previous_response_not_found, settings_mismatch, model_not_found, invalid_value.
 */
export async function resolveRequest(
  dependencies: RespondDependencies,
  incoming: IncomingCreate,
): Promise<ResolvedRequest> {
  const { request, scope } = incoming;
  const { techniques } = dependencies;
  const anew = { render: !techniques.incrementalRender, tokenize: !techniques.incrementalTokenize };
  const previousId = request.previous_response_id ?? null;
  const previous = previousId === null ? null : await findNode(dependencies, incoming, previousId);
  const settings = resolveIncomingSettings(dependencies, incoming, previous);
  const runtime = dependencies.models.get(settings.model);
  if (runtime === undefined) throw modelNotFound(settings.model, [...dependencies.models.keys()]);
  const root = dependencies.rootOf(scope);
  const headSettings = toHeadSettings(settings);
  const { head, tokenized: headTokens } = anew.tokenize
    ? await runtime.headAnew(root, headSettings)
    : { head: await runtime.head(root, headSettings), tokenized: 0 };
  const input = inputItems(request);
  const found = findBase(dependencies, runtime, head, previous, input);
  const base = anew.tokenize ? withoutTokens(found, head) : found;
  checkCallIds(base, input);
  return {
    incoming,
    settings,
    runtime,
    head,
    headSettings,
    headTokens,
    anew,
    input,
    previous,
    previousSettings:
      previous === null ? null : dependencies.settings.byFingerprint(scope, previous.settings),
    base,
    store: request.store ?? true,
  };
}

/** What the renderer has to do for a request. */
export function planInput({ headSettings, base, anew }: ResolvedRequest): PlanInput {
  return { headSettings, base: base.prompt, before: () => itemsBefore(base), items: base.toRender, anew };
}

/** Every item of the conversation a request stands for, oldest first. */
export async function wholeHistory(
  dependencies: RespondDependencies,
  incoming: IncomingCreate,
): Promise<readonly Item[]> {
  const { base } = await resolveRequest(dependencies, incoming);
  return [...itemsBefore(base), ...base.toRender];
}

function findBase(
  { chains, techniques }: RespondDependencies,
  runtime: ModelRuntime,
  head: HeadNode,
  previous: ChainNode | null,
  input: readonly Item[],
): Base {
  if (previous !== null) return baseById(previous, head, runtime.fingerprint, input, techniques.chain);
  return techniques.lineage ? baseByLineage(chains, head, input) : freshBase(head, input, null);
}

function resolveIncomingSettings(
  { settings, techniques }: RespondDependencies,
  { request, scope, inherit, settingsKey }: IncomingCreate,
  previous: ChainNode | null,
): ResolvedSettings {
  if (inherit === null || !techniques.settingsInheritance) {
    return settings.resolve(scope, settingsKey, () => pickSettings(request) as RequestSettings);
  }
  const parent = requireSettings(
    inherit,
    previous === null ? null : settings.byFingerprint(scope, previous.settings),
  );
  return settings.resolve(scope, `${inherit}+${settingsKey}`, () =>
    inheritSettings(givenSettings(request), parent),
  );
}

/** With settings inherited the transport puts an empty model where none was given. */
function givenSettings(request: CreateRequest): Partial<RequestSettings> {
  const { model, ...given } = pickSettings(request);
  return model === undefined || model === "" ? given : { ...given, model };
}

function modelNotFound(model: string, known: readonly string[]): WireError {
  return new WireError(
    "model_not_found",
    `The model '${model}' is not served here. Served: ${known.join(", ")}.`,
    {
      param: "model",
    },
  );
}
