/** What Codex has to know of a server. */
export interface CodexConnection {
  /** Without `/v1`. */
  readonly root: string;
  readonly model: string;
  /** Environment variable that Codex reads the bearer key from; an unset one is a hard error there. */
  readonly envKey: string | null;
  readonly webSockets: boolean;
}

/**
 * The part of Codex's `config.toml` that makes it use this server. The catalogue gives Codex the model's true
 * context window and short instructions; without it Codex falls back to metadata that fit no small model.
 */
export function formatCodexConfig({ root, model, envKey, webSockets }: CodexConnection): string {
  const lines = [
    "# For $CODEX_HOME/config.toml (usually ~/.codex/config.toml); the first three lines belong above all tables.",
    `model = ${quote(model)}`,
    'model_provider = "slipstream"',
    'web_search = "disabled"',
    "",
    "[model_providers.slipstream]",
    'name = "Slipstream"',
    `base_url = ${quote(`${root}/v1`)}`,
    'wire_api = "responses"',
    `supports_websockets = ${webSockets}`,
    `model_catalog_url = ${quote(`${root}/codex/models`)}`,
    // Codex fetches a catalogue only for a provider that has a key, so one that needs none gets a dummy.
    envKey === null ? 'experimental_bearer_token = "none"' : `env_key = ${quote(envKey)}`,
  ];
  return `${lines.join("\n")}\n`;
}

/** A TOML basic string: JSON's escapes are a subset of its own. */
function quote(text: string): string {
  return JSON.stringify(text);
}
