import type { Tool } from "@slipstream-stack/protocol";
import { type AgentOptions, allTechniques } from "./agent-options.ts";
import { HarnessError } from "./errors.ts";
import { freezeSettings } from "./request/frozen-settings.ts";
import { HttpTransport } from "./transport/http-transport.ts";
import type { ModelTransport } from "./transport/model-transport.ts";
import { ReliableModel } from "./transport/reliable-model.ts";
import { defaultRetryLimits } from "./transport/retry-policy.ts";
import { defaultTimeouts } from "./transport/timeouts.ts";
import { defaultFallbackLimits, TransportSelector } from "./transport/transport-selector.ts";
import { WebSocketTransport } from "./transport/websocket-transport.ts";

function endpoint(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new HarnessError("invalid_option", `"${baseUrl}" is not an http or https address.`);
  }
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/responses`;
  return url;
}

/** The model behind the transports the options ask for. */
export function createModel(options: AgentOptions, tools: readonly Tool[]): ReliableModel {
  const { clock, random } = options;
  const techniques = { ...allTechniques, ...options.techniques };
  const settings = freezeSettings({
    settings: {
      parallel_tool_calls: true,
      tool_choice: "auto",
      ...options.settings,
      model: options.model,
      tools: [...tools],
    },
    store: options.store ?? false,
  });
  const url = endpoint(options.baseUrl);
  const headers: Record<string, string> = options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {};
  const timeouts = { ...defaultTimeouts, ...options.timeouts };
  const http = new HttpTransport({ url: url.href, headers, clock, timeouts, fetch: options.fetch ?? fetch });
  const socketUrl = url.href.replace(/^http/, "ws");
  const websocket = new WebSocketTransport({
    url: socketUrl,
    headers,
    clock,
    timeouts,
    delta: techniques.delta,
    settingsInheritance: techniques.settings_inheritance,
  });
  const useWebSocket = options.transport !== "http" && techniques.websocket;
  const [preferred, fallback]: [ModelTransport, ModelTransport | null] = useWebSocket
    ? [websocket, options.transport === "auto" ? http : null]
    : [http, null];
  const limits = { ...defaultFallbackLimits, ...options.fallback };
  return new ReliableModel({
    settings,
    selector: new TransportSelector(preferred, fallback, clock, limits),
    clock,
    random,
    limits: { ...defaultRetryLimits, ...options.retries },
  });
}
