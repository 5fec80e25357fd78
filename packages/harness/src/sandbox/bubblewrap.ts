export interface BubblewrapOptions {
  readonly workspace: string;
  readonly network: boolean;
}

/**
 * The arguments of bwrap up to the program: the file system read-only, the workspace writable, temporary
 * files private, processes in a namespace of their own that ends with the shell. Without network the sockets
 * under /run (container daemons, buses) are hidden too, since a read-only mount does not keep anyone from
 * connecting to them.
 *
 * For the superuser two things more are needed: bwrap leaves him his capabilities, with which the read-only
 * mounts could be made writable again, and his ownership of /proc/sys, which needs no capability at all.
 */
export function bubblewrapArguments(options: BubblewrapOptions): string[] {
  const network = options.network ? ["--share-net"] : ["--tmpfs", "/run"];
  return [
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--tmpfs", "/tmp", "--tmpfs", "/var/tmp"],
    ...["--ro-bind-try", "/proc/sys", "/proc/sys"],
    ...["--unshare-all", "--unshare-user", "--cap-drop", "ALL"],
    ...network,
    ...["--bind", options.workspace, options.workspace],
    ...["--die-with-parent", "--new-session", "--chdir", options.workspace],
  ];
}
