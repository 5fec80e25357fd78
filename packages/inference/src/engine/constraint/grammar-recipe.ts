import { createHash } from "node:crypto";
import type { JsonObject } from "@slipstream-stack/protocol";
import type { ConstraintSource } from "../../port/decode-program.ts";
import { grammarSchema } from "./grammar-schema.ts";
import type { XCompiledGrammar, XCompiler, XFormat, XLibrary } from "./xgrammar-library.ts";

/** A grammar that can be compiled. */
export interface GrammarRecipe {
  /** Identity: the same key, the same grammar. 32 hexadecimal digits. */
  readonly key: string;
  /** Size of what describes it, bytes. */
  readonly size: number;
  compile(library: XLibrary, compiler: XCompiler): Promise<XCompiledGrammar>;
}

/** One of several named values; see `ConstraintSource`. */
export type NamedJson = Extract<ConstraintSource, { kind: "named_json" }>;

/** A name with its schema. */
export type Alternative = NamedJson["alternatives"][number];

function recipe(parts: readonly string[], compile: GrammarRecipe["compile"]): GrammarRecipe {
  const text = JSON.stringify(parts);
  const key = createHash("sha256").update(text).digest("hex").slice(0, 32);
  return { key, size: Buffer.byteLength(text), compile };
}

async function compileText(library: XLibrary, compiler: XCompiler, text: string): Promise<XCompiledGrammar> {
  const grammar = await library.Grammar.fromEBNF(text, "root");
  const compiled = await compiler.compileGrammar(grammar);
  grammar.dispose();
  return compiled;
}

/** The grammar of a source that is one grammar. */
export function plainRecipe(source: Exclude<ConstraintSource, NamedJson>): GrammarRecipe {
  if (source.kind === "ebnf") {
    return recipe(["ebnf", source.text], (library, compiler) => compileText(library, compiler, source.text));
  }
  const schema: JsonObject = source.kind === "json_object" ? { type: "object" } : source.schema;
  return recipe(["schema", JSON.stringify(schema)], (_, compiler) =>
    compiler.compileJSONSchema(JSON.stringify(grammarSchema(schema)), true, undefined, undefined, true),
  );
}

/** What stands before the JSON of an alternative. */
export function openingOf(source: NamedJson, alternative: Alternative): string {
  return source.begin + alternative.name + source.between;
}

/** All openings of a source: cheap whatever the schemas are. */
export function openingsRecipe(source: NamedJson): GrammarRecipe {
  const openings = source.alternatives.map((alternative) => openingOf(source, alternative));
  const elements = openings.map((value): XFormat => ({ type: "const_string", value }));
  return recipe(["openings", ...openings], (_, compiler) =>
    compiler.compileStructuralTag({ type: "or", elements }),
  );
}

/** One alternative from its opening to its end. */
export function alternativeRecipe(source: NamedJson, alternative: Alternative): GrammarRecipe {
  const opening = openingOf(source, alternative);
  const parts = ["alternative", opening, JSON.stringify(alternative.schema), source.end];
  return recipe(parts, (_, compiler) => {
    const elements: XFormat[] = [{ type: "json_schema", json_schema: grammarSchema(alternative.schema) }];
    if (opening !== "") elements.unshift({ type: "const_string", value: opening });
    if (source.end !== "") elements.push({ type: "const_string", value: source.end });
    return compiler.compileStructuralTag({ type: "sequence", elements });
  });
}
