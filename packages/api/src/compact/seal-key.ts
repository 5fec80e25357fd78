import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { ApiError } from "../errors.ts";
import { sealKeyBytes } from "./sealer.ts";

function codeOf(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code;
}

async function readKey(path: string): Promise<Uint8Array | null> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw new ApiError(
      "keys_unreadable",
      `The key file ${path} cannot be read (${codeOf(error)}): correct its path or its permissions.`,
      error,
    );
  }
  const key = Buffer.from(text.trim(), "base64");
  if (key.length === sealKeyBytes && key.toString("base64") === text.trim()) return key;
  throw new ApiError(
    "keys_unreadable",
    `The key file ${path} does not hold ${sealKeyBytes} bytes in base64: restore it from a backup, or move it ` +
      "away to get a new key (what was sealed with the old one can then not be opened).",
  );
}

/** Writes the key under another name first, so that no reader sees half of one, and never over an older key. */
async function createKey(path: string, newBytes: (bytes: number) => Uint8Array): Promise<void> {
  const draft = `${path}.${Buffer.from(newBytes(6)).toString("hex")}.new`;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(draft, "wx", 0o600);
    try {
      await file.writeFile(`${Buffer.from(newBytes(sealKeyBytes)).toString("base64")}\n`);
      await file.sync();
    } finally {
      await file.close();
    }
    await link(draft, path);
  } catch (error) {
    // Another server made the key meanwhile; its key counts.
    if (codeOf(error) === "EEXIST") return;
    throw new ApiError(
      "keys_unreadable",
      `The key file ${path} cannot be made (${codeOf(error)}): make its folder writable, or free space on its disk.`,
      error,
    );
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * The server's secret key of 32 bytes from its file, which is made (mode 0600) where there is none. Servers
 * that start together on one folder get the same key.
 * @throws ApiError `keys_unreadable`.
 */
export async function loadOrCreateKey(
  path: string,
  newBytes: (bytes: number) => Uint8Array = randomBytes,
): Promise<Uint8Array> {
  const known = await readKey(path);
  if (known !== null) return known;
  await createKey(path, newBytes);
  const key = await readKey(path);
  if (key === null) throw new ApiError("keys_unreadable", `The key file ${path} vanished after it was made.`);
  return key;
}
