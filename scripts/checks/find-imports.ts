const patterns = [
  /^[ \t]*(?:import|export)\b[^;'"`]*?\bfrom\s*["']([^"']+)["']/gm,
  /^[ \t]*import\s*["']([^"']+)["']/gm,
  /\bimport\(\s*["'`]([^"'`]+)["'`]/g,
  /\bimport\.meta\.resolve\(\s*["'`]([^"'`]+)["'`]/g,
  /\bnew URL\(\s*["'`](\.{1,2}\/[^"'`]+)["'`]\s*,\s*import\.meta\.url/g,
  /\brequire(?:\.resolve)?\(\s*["'`]([^"'`]+)["'`]/g,
];

/** Module specifiers that a source names: static, dynamic and resolved imports. Comments are not looked at. */
export function findImports(text: string): string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].flatMap((match) => match[1] ?? []));
}
