import type { RateLimit } from '../rate-limit/key-limits.js';
import { type KeyScope, isScope, scopes } from './scope.js';
import { keyIdPattern } from './api-key.js';

/** The hash and the expiry of one secret of an API key, in the form that authentication compares. */
export interface KeySecretHash {
  /** SHA-256 of the whole text of the key, 32 bytes. */
  sha256: Buffer;
  /** Expiry in milliseconds since 1970: from this time on the secret is not accepted. */
  expiresAt?: number | undefined;
}

/** Maximum number of valid secrets of one key: the newest, and older ones for a while after a rotation. */
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

/**
 * Key ring of the API keys in the setting API_KEYS, one entry per key: `<key_id>:<sha256 hex of the whole
 * key>:<scope>+<scope>…`.
 * @throws Error with the number of the invalid entry and the reason, never with the entry itself
 */
export class ConfiguredKeyRing implements KeyRing {
  private readonly keys = new Map<string, ApiKey>();

  constructor(entries: readonly string[]) {
    entries.forEach((entry, index) => {
      const key = parseEntry(entry, index + 1);
      if (this.keys.has(key.keyId)) throw new Error(`API_KEYS entry ${index + 1}: its key id is a duplicate`);
      this.keys.set(key.keyId, key);
    });
  }

  find(keyId: string): ApiKey | undefined {
    return this.keys.get(keyId);
  }
}

function parseEntry(entry: string, number: number): ApiKey {
  const [keyId = '', hash = '', ...rest] = entry.split(':');
  const named = rest.join(':').split('+');
  if (!keyIdPattern.test(keyId))
    throw new Error(`API_KEYS entry ${number}: the key id is not 12 of a-z, 0-9`);
  if (!/^[0-9a-f]{64}$/i.test(hash))
    throw new Error(`API_KEYS entry ${number}: the SHA-256 is not 64 hex digits`);
  if (!named.every(isScope)) {
    throw new Error(`API_KEYS entry ${number}: scopes are ${scopes.join(', ')}, joined by +`);
  }
  return { keyId, secrets: [{ sha256: Buffer.from(hash, 'hex') }], scopes: new Set(named) };
}

/** The members of an issued key's definition that authentication reads. Times are RFC 3339. */
export interface IssuedKeyDefinition {
  key_id: string;
  /** Secrets of the key, newest first. Hashes are hexadecimal. */
  secrets: readonly { sha256: string; expires_at?: string }[];
  scopes: readonly string[];
  streams?: readonly string[];
  rate_limit?: { events_per_second?: number; requests_per_second?: number };
  expires_at?: string;
  revoked_at?: string;
}

/** Key ring of the issued API keys (definitions topic). A changed definition applies from the next request on. */
export class IssuedKeyRing implements KeyRing {
  /** The parsed key of each definition object. Definitions are immutable: a change creates another object. */
  private readonly parsed = new WeakMap<IssuedKeyDefinition, ApiKey>();

  constructor(private readonly keys: { get(keyId: string): IssuedKeyDefinition | undefined }) {}

  find(keyId: string): ApiKey | undefined {
    const definition = this.keys.get(keyId);
    if (!definition) return undefined;
    let key = this.parsed.get(definition);
    if (!key) this.parsed.set(definition, (key = apiKey(definition)));
    return key;
  }
}

function apiKey({ secrets, streams, rate_limit: rate, ...key }: IssuedKeyDefinition): ApiKey {
  const valid = key.revoked_at === undefined ? secrets.slice(0, secretsPerKey) : [];
  return {
    keyId: key.key_id,
    issued: true,
    secrets: valid.map(({ sha256, expires_at }) => ({
      sha256: Buffer.from(sha256, 'hex'),
      expiresAt: expires_at === undefined ? undefined : Date.parse(expires_at),
    })),
    scopes: new Set(key.scopes.filter(isScope)),
    ...(streams && { streams }),
    ...(rate && {
      rateLimit: { requestsPerSecond: rate.requests_per_second, eventsPerSecond: rate.events_per_second },
    }),
    ...(key.expires_at !== undefined && { expiresAt: Date.parse(key.expires_at) }),
  };
}
