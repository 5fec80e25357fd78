import type { SourceFile } from "./source-file.ts";

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

/** Direct dependencies that no record in `docs/decisions` names in back-quotes, and versions that are not exact. */
export function checkDecisions(files: readonly SourceFile[]): string[] {
  const records = files.filter(({ path }) => path.startsWith("docs/decisions/")).map(({ text }) => text);
  const recorded = new Set([...records.join("\n").matchAll(/`([^`\n]+)`/g)].map((match) => match[1]));
  return files
    .filter(({ path }) => path.endsWith("package.json") && !path.includes("/fixtures/"))
    .flatMap(({ path, text }) => {
      const manifest = JSON.parse(text) as Manifest;
      const direct = {
        ...manifest.dependencies,
        ...manifest.optionalDependencies,
        ...manifest.devDependencies,
      };
      return Object.entries(direct).flatMap(([name, version]) => {
        if (name.startsWith("@slipstream-stack/")) return [];
        const problems: string[] = [];
        if (!recorded.has(name)) problems.push(`${path}: no record in docs/decisions names \`${name}\``);
        if (!/^\d/.test(version))
          problems.push(`${path}: ${name} must have an exact version, not ${version}`);
        return problems;
      });
    });
}
