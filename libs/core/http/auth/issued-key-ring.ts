import { secretsPerKey, type ApiKey, type KeyRing } from './key-ring.js';
import { isScope } from './scope.js';

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

/**
 * Key ring of the issued API keys, whose definitions are in the definitions topic. A changed definition applies from
 * the next request on.
 */
export class IssuedKeyRing implements KeyRing {
  /** The parsed key of each definition object. Definitions are immutable: a change creates another object. */
  private readonly read = new WeakMap<IssuedKeyDefinition, ApiKey>();

  constructor(private readonly keys: { get(keyId: string): IssuedKeyDefinition | undefined }) {}

  find(keyId: string): ApiKey | undefined {
    const definition = this.keys.get(keyId);
    if (!definition) return undefined;
    let key = this.read.get(definition);
    if (!key) this.read.set(definition, (key = apiKey(definition)));
    return key;
  }
}

function apiKey({ secrets, streams, rate_limit: rate, ...key }: IssuedKeyDefinition): ApiKey {
  return {
    keyId: key.key_id,
    issued: true,
    secrets: key.revoked_at === undefined ? secrets.slice(0, secretsPerKey).map(storedSecret) : [],
    scopes: new Set(key.scopes.filter(isScope)),
    ...(streams && { streams }),
    ...(rate && { rateLimit: rateLimit(rate) }),
    ...(key.expires_at !== undefined && { expiresAt: Date.parse(key.expires_at) }),
  };
}

function storedSecret({
  sha256,
  expires_at,
}: IssuedKeyDefinition['secrets'][number]): ApiKey['secrets'][number] {
  const secret = { sha256: Buffer.from(sha256, 'hex') };
  return expires_at === undefined ? secret : { ...secret, expiresAt: Date.parse(expires_at) };
}

function rateLimit(rate: NonNullable<IssuedKeyDefinition['rate_limit']>): NonNullable<ApiKey['rateLimit']> {
  const { requests_per_second: requestsPerSecond, events_per_second: eventsPerSecond } = rate;
  return {
    ...(requestsPerSecond !== undefined && { requestsPerSecond }),
    ...(eventsPerSecond !== undefined && { eventsPerSecond }),
  };
}
