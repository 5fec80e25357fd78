import { posix } from "node:path";
import { findImports } from "./find-imports.ts";
import { isCode, isTest, type SourceFile } from "./source-file.ts";

const scope = "@slipstream-stack/";

/** Which packages a package may import: the arrows of the architecture. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  inference: ["protocol"],
  api: ["protocol", "inference"],
  harness: ["protocol"],
  testkit: ["protocol", "inference"],
  cli: ["protocol", "inference", "api", "harness", "testkit"],
};

/** Packages that must run without Node. */
const pure = new Set(["protocol"]);

interface Place {
  readonly path: string;
  readonly owner: string;
  readonly test: boolean;
}

/** Imports of a package's sources that the architecture forbids. */
export function checkArrows(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const owner = /^packages\/([^/]+)\//.exec(path)?.[1];
    if (owner === undefined || !isCode(path)) return [];
    const place = { path, owner, test: isTest(path) };
    if (!(owner in arrows))
      return [`${path}: package ${owner} has no arrows in scripts/checks/check-arrows.ts`];
    return findImports(text).flatMap((specifier) => {
      const fault = judge(place, specifier);
      return fault === null ? [] : [`${path}: imports ${specifier}: ${fault}`];
    });
  });
}

function judge(place: Place, specifier: string): string | null {
  if (specifier.startsWith(".")) return judgeRelative(place, specifier);
  if (specifier.startsWith("node:")) {
    return pure.has(place.owner) && !place.test ? `${place.owner} must not use Node built-ins` : null;
  }
  if (!specifier.startsWith(scope)) return null;
  const [target = "", ...rest] = specifier.slice(scope.length).split("/");
  if (rest.length > 0) return "only a package's index is public";
  if (target === place.owner) return "a package does not import itself by name";
  if (arrows[place.owner]?.includes(target) || (place.test && target === "testkit")) return null;
  return `no arrow ${place.owner} -> ${target}`;
}

function judgeRelative({ path, owner }: Place, specifier: string): string | null {
  const target = posix.join(posix.dirname(path), specifier);
  return target.startsWith(`packages/${owner}/`) ? null : "a relative import must stay inside its package";
}
