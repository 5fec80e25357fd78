import type { HistoryView } from "../history/history-log.ts";
import type { SendPlan } from "./delta-rule.ts";
import type { FrozenSettings } from "./frozen-settings.ts";

export interface RequestParts {
  readonly settings: FrozenSettings;
  readonly history: HistoryView;
  readonly plan: SendPlan;
  /** `frame`: a `response.create` on a WebSocket. `body`: an HTTP body that asks for a stream. */
  readonly form: "frame" | "body";
  /** False for a warm-up: the server prepares its state and writes nothing. */
  readonly generate: boolean;
}

export interface BuiltRequest {
  readonly json: string;
  /** Bytes of `json` in UTF-8, before any compression. */
  readonly bytes: number;
  /** Of these, bytes of the items that travel. */
  readonly itemBytes: number;
  /** Number of items that travel. */
  readonly items: number;
}

/**
 * Builds every request there is, full or chained, from bytes made once. Nothing here reads a clock, an id
 * source or the environment, so equal state gives equal bytes. A chained request is as much work at the
 * thousandth item as at the first.
 */
export function buildRequest(parts: RequestParts): BuiltRequest {
  const { settings, history, plan } = parts;
  const members: string[] = [];
  if (parts.form === "frame") members.push('"type":"response.create"');
  if (plan.kind === "delta") {
    members.push(`"previous_response_id":${JSON.stringify(plan.previousResponseId)}`);
    if (plan.settingsFingerprint !== null) {
      members.push(`"slipstream_settings":${JSON.stringify(plan.settingsFingerprint)}`);
    }
  }
  const inherits = plan.kind === "delta" && plan.settingsFingerprint !== null;
  members.push(`"store":${settings.store}`);
  if (parts.form === "body") members.push('"stream":true');
  if (!parts.generate) members.push('"generate":false');

  const head = `{${members.join(",")}`;
  const settingsPart = inherits || settings.json === "" ? "" : `,${settings.json}`;
  const from = plan.kind === "delta" ? plan.from : 0;
  const entries = history.from(from);
  const itemBytes = entries.reduce((sum, entry) => sum + entry.bytes, 0);
  const separators = Math.max(0, entries.length - 1);
  const open = ',"input":[';
  const close = "]}";
  return {
    json: `${head}${settingsPart}${open}${entries.map((entry) => entry.json).join(",")}${close}`,
    bytes:
      Buffer.byteLength(head) +
      (settingsPart === "" ? 0 : settings.bytes + 1) +
      open.length +
      itemBytes +
      separators +
      close.length,
    itemBytes,
    items: entries.length,
  };
}
