import type { RateLimit } from '../rate-limit/key-limits.js';
import type { KeyScope } from './scope.js';

/** The hash and the expiry of one secret of an API key, in the form that authentication compares. */
export interface KeySecretHash {
  /** SHA-256 of the whole text of the key, 32 bytes. */
  sha256: Buffer;
  /** Expiry in milliseconds since 1970: from this time on the secret is not accepted. */
  expiresAt?: number;
}

/**
 * Maximum number of secrets of one key that are valid at the same time: the newest, and older ones that are valid for a
 * while after a rotation.
 */
export const secretsPerKey = 4;

/** A known API key as authentication sees it: its id, secret hashes, scopes and limits, but not its text. */
export interface ApiKey {
  keyId: string;
  /** Secrets of the key, at most `secretsPerKey`; empty when the key is revoked. */
  secrets: readonly KeySecretHash[];
  scopes: ReadonlySet<KeyScope>;
  /** Stream names, or prefixes ending in `*`, to which reads and writes are limited; undefined means no limit. */
  streams?: readonly string[];
  rateLimit?: RateLimit;
  /**
   * Set for an issued key, which comes from the definitions topic and not from the configuration. The view of that
   * topic may be stale, so a revocation may not be known yet.
   */
  issued?: true;
  /** Expiry in milliseconds since 1970: from this time on the key is not valid. */
  expiresAt?: number;
}

/**
 * Looks up API keys by key id. `find` is called for every request: it answers from memory, and returns the same object
 * as long as the key does not change.
 */
export interface KeyRing {
  find(keyId: string): ApiKey | undefined;
}

/**
 * Combines several key rings into one; the first ring that knows a key id decides. Each look-up asks all rings, so that
 * its time does not reveal which ring knows the key.
 */
export function joinKeyRings(...rings: readonly KeyRing[]): KeyRing {
  return { find: (keyId) => rings.map((ring) => ring.find(keyId)).find((key) => key !== undefined) };
}
