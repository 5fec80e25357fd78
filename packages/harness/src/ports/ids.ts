import { randomUUID } from "node:crypto";

/** The only source of identifiers. None of them ever enters a request. */
export interface IdSource {
  /** A new identifier that begins with `<prefix>_`. It must not be guessable. */
  next(prefix: string): string;
}

/** Identifiers from the machine's random source. Handed in at the composition root only. */
export const randomIds: IdSource = {
  next: (prefix) => `${prefix}_${randomUUID().replaceAll("-", "")}`,
};
