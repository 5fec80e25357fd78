import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** First part of every sealed text; names the format, and is authenticated with the key's id. */
const formatName = "slipseal1";
const nonceBytes = 12;
const tagBytes = 16;

/** Bytes of a sealing key. */
export const sealKeyBytes = 32;

/** Closes text so that a client can keep and return it, but neither read nor change it. */
export interface Sealer {
  /** Names the key, without telling anything of it: 16 hex digits. */
  readonly keyId: string;
  seal(text: string): string;
  /** The text, or null for anything that this key has not sealed. */
  open(sealed: string): string | null;
}

function keyIdOf(key: Uint8Array): string {
  return createHash("sha256").update("slipstream/seal-key/1\0").update(key).digest("hex").slice(0, 16);
}

/**
 * A sealer by AES-256-GCM (NIST SP 800-38D) with a random nonce of 96 bits per text: good for 2^32 texts a key.
 * Sealed form: `slipseal1.KEYID.` and base64url of nonce, ciphertext and tag.
 * @throws RangeError when the key has not 32 bytes.
 */
export function createSealer(key: Uint8Array, newNonce: (bytes: number) => Uint8Array = randomBytes): Sealer {
  if (key.length !== sealKeyBytes)
    throw new RangeError(`A sealing key has ${sealKeyBytes} bytes, not ${key.length}.`);
  const keyId = keyIdOf(key);
  const header = `${formatName}.${keyId}.`;
  const authenticated = Buffer.from(header);
  return {
    keyId,
    seal(text) {
      const nonce = newNonce(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(authenticated);
      const closed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return header + closed.toString("base64url");
    },
    open(sealed) {
      if (!sealed.startsWith(header)) return null;
      const closed = Buffer.from(sealed.slice(header.length), "base64url");
      if (closed.length < nonceBytes + tagBytes) return null;
      const nonce = closed.subarray(0, nonceBytes);
      const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: tagBytes });
      decipher.setAAD(authenticated).setAuthTag(closed.subarray(-tagBytes));
      try {
        const open = Buffer.concat([
          decipher.update(closed.subarray(nonceBytes, -tagBytes)),
          decipher.final(),
        ]);
        return open.toString("utf8");
      } catch {
        return null;
      }
    },
  };
}
