import { CliError } from "../errors.ts";

/** Turns what a file system says into something a person can act on; other errors pass unchanged. */
export function mapFileError(error: unknown, folder: string): unknown {
  switch ((error as NodeJS.ErrnoException | null)?.code) {
    case "ENOSPC":
    case "EDQUOT":
      return new CliError("disk_full", `No space is left for ${folder}. ${makeRoom}`, error);
    case "EACCES":
    case "EPERM":
    case "EROFS":
    case "ENOTDIR":
    // What Node says of making folders below a read-only mount.
    case "ENOENT":
      return new CliError(
        "folder_unwritable",
        `${folder} cannot be written. Set SLIPSTREAM_CACHE to a folder that can.`,
        error,
      );
    default:
      return error;
  }
}

/** What to do about a full disk. */
export const makeRoom = "Free some, or set SLIPSTREAM_CACHE to a folder on a larger disk.";
