/** What this check reads of `package-lock.json`. */
export interface LockFile {
  readonly packages?: Readonly<
    Record<
      string,
      { readonly resolved?: string; readonly hasInstallScript?: boolean; readonly link?: boolean }
    >
  >;
}

/** Registry hosts in the lock file, and install scripts that no list allows (package name to reason). */
export function checkLock(lock: LockFile, allowedScripts: Readonly<Record<string, string>>): string[] {
  const problems: string[] = [];
  const withScript = new Set<string>();
  for (const [path, entry] of Object.entries(lock.packages ?? {})) {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    if (entry.resolved !== undefined && entry.link !== true && /^[a-z+]+:/.test(entry.resolved)) {
      problems.push(
        `package-lock.json: ${name} carries its registry's address (npm config omit-lockfile-registry-resolved)`,
      );
    }
    if (entry.hasInstallScript !== true) continue;
    withScript.add(name);
    if (allowedScripts[name] === undefined) {
      problems.push(
        `package-lock.json: ${name} has an install script that scripts/checks/install-scripts.json does not explain`,
      );
    }
  }
  for (const name of Object.keys(allowedScripts)) {
    if (!withScript.has(name))
      problems.push(`scripts/checks/install-scripts.json: ${name} no longer has an install script`);
  }
  return problems;
}
