import type { RateLimit } from '../rate-limit/key-limits.js';
import type { Scope } from './scope.js';

/** A secret of a key, as it is kept. */
export interface StoredSecret {
  /** SHA-256 of the key's whole text, 32 bytes. */
  sha256: Buffer;
  /** Milliseconds since 1970; from then on it does not open anything. */
  expiresAt?: number;
}

/** How many secrets of one key may work at the same time: the newest, and those that rotations have left working. */
export const secretsPerKey = 4;

/** A key as it is kept: never its text. */
export interface ApiKey {
  keyId: string;
  /** At most `secretsPerKey`; none when the key is revoked. */
  secrets: readonly StoredSecret[];
  scopes: ReadonlySet<Scope>;
  /** Stream names, or prefixes ending in `*`, that reads and writes are limited to; undefined is no limit. */
  streams?: readonly string[];
  rateLimit?: RateLimit;
  /** It was issued: what is known of it, a revocation too, is as old as the definitions. */
  issued?: true;
  /** Milliseconds since 1970; from then on the key is not valid. */
  expiresAt?: number;
}

/**
 * Where keys are looked up. `find` is called for every request: it answers from memory, and with the same object as
 * long as the key has not changed.
 */
export interface KeyRing {
  find(keyId: string): ApiKey | undefined;
}

/** Several rings as one, the first that knows a key deciding. All are asked each time, whichever it is. */
export function joinedRings(...rings: readonly KeyRing[]): KeyRing {
  return { find: (keyId) => rings.map((ring) => ring.find(keyId)).find((key) => key !== undefined) };
}
