/** Runs a program where `mountPoint`, an existing folder, is a full disk of `bytes`; needs bubblewrap, no root. */
export function onFullDisk(mountPoint: string, bytes: number): string[] {
  const size = ["--size", String(bytes), "--tmpfs", mountPoint];
  return ["bwrap", "--dev-bind", "/", "/", ...size, "--", "sh", "-c", fillAndRun, "sh", mountPoint];
}

const fillAndRun = `head -c 100000000 /dev/zero > "$1/filling" 2>/dev/null; shift; exec "$@"`;

/** The same with a mount that cannot be written. */
export function onReadOnlyDisk(mountPoint: string): string[] {
  return ["bwrap", "--dev-bind", "/", "/", "--ro-bind", mountPoint, mountPoint, "--"];
}

/** The same with a disk of `bytes` that is still empty. */
export function onSmallDisk(mountPoint: string, bytes: number): string[] {
  return [
    "bwrap",
    "--die-with-parent",
    "--dev-bind",
    "/",
    "/",
    "--size",
    String(bytes),
    "--tmpfs",
    mountPoint,
    "--",
  ];
}
