/**
 * @typedef {{ packages?: Record<string, { version?: string, optional?: boolean, link?: boolean }> }} LockFile
 */

/**
 * Whether npm's record of what is installed (`node_modules/.package-lock.json`) agrees with the lock file.
 * Optional packages of other platforms are missing by design.
 * @param {LockFile} wanted
 * @param {LockFile} installed
 */
export function isTreeCurrent(wanted, installed) {
  const have = installed.packages ?? {};
  const want = wanted.packages ?? {};
  for (const [path, entry] of Object.entries(want)) {
    if (!path.includes("node_modules/")) continue;
    const found = have[path];
    if (found === undefined ? entry.optional !== true : found.version !== entry.version) return false;
  }
  return Object.keys(have).every((path) => !path.includes("node_modules/") || path in want);
}
