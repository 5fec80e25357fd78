import assert from "node:assert/strict";
import { test } from "node:test";
import { codexCatalogue } from "./codex-catalogue.ts";
import { modelList } from "./model-listing.ts";

const model = {
  id: "small",
  created: 1_800_000_000,
  ownedBy: "somebody",
  displayName: "Small",
  contextLength: 8192,
  freeformApplyPatch: false,
};

/** What Codex 0.171 stops without (wire specification, 17.10). */
const required = [
  "slug",
  "display_name",
  "supported_reasoning_levels",
  "shell_type",
  "visibility",
  "supported_in_api",
  "priority",
  "support_verbosity",
  "truncation_policy",
  "experimental_supported_tools",
  "model_messages",
];

test("the catalogue has what Codex needs, and the true context window", () => {
  const [entry] = codexCatalogue([model]).models as Record<string, unknown>[];
  for (const key of required) assert.ok(key in entry!, key);
  assert.equal(entry!.slug, "small");
  assert.equal(entry!.context_window, 8192);
  assert.equal(entry!.shell_type, "unified_exec");
  assert.ok((entry!.auto_compact_token_limit as number) < 8192);
  assert.deepEqual(entry!.truncation_policy, { mode: "tokens", limit: 819 });
  const { instructions_template: template } = entry!.model_messages as { instructions_template: string };
  assert.ok(template.length > 0 && template.length < 200);
});

test("a free-form apply_patch is offered only where it is enabled", () => {
  const entries = codexCatalogue([
    model,
    { ...model, id: "large", contextLength: 262_144, freeformApplyPatch: true },
  ]).models as Record<string, unknown>[];
  assert.ok(!("apply_patch_tool_type" in entries[0]!));
  assert.equal(entries[1]!.apply_patch_tool_type, "freeform");
  assert.deepEqual(entries[1]!.truncation_policy, { mode: "tokens", limit: 10_000 });
  assert.deepEqual(
    entries.map((entry) => entry.priority),
    [1, 2],
  );
});

test("the list is OpenAI's shape", () => {
  assert.deepEqual(modelList([model]), {
    object: "list",
    data: [
      { id: "small", object: "model", created: 1_800_000_000, owned_by: "somebody", context_length: 8192 },
    ],
  });
});
