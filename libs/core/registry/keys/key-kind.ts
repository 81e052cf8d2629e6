import { IsArray, IsOptional, IsPositive, IsString, Matches } from 'class-validator';
import { definitionLimitReached } from '../changes/definition-problems.js';
import { oneRecord } from '../resources/one-record.js';
import { IsTime, ListOf, Nested } from '../resources/record-members.js';
import type { ResourceKind } from '../resources/resource-kind.js';
import type { ResourceStore } from '../resources/resource-store.js';

declare module '../resources/resource-store.js' {
  interface ResourceStores {
    /** Definitions of API keys, by key id. */
    keys: ResourceStore<ApiKeyDefinition>;
  }
}

/** The hash and the expiry of one secret of an API key, as stored in the key's definition. */
export class ApiKeySecretHash {
  /** SHA-256 of the whole key text, in hex. */
  @Matches(/^[0-9a-f]{64}$/) sha256: string;
  /** RFC 3339 time until which the secret is valid beside a newer one; undefined for the newest secret. */
  @IsOptional() @IsTime() expires_at?: string;
}

/** The limits per second of an API key. A key of an older release may have a fraction. */
class ApiKeyRateLimit {
  @IsOptional() @IsPositive() events_per_second?: number;
  @IsOptional() @IsPositive() requests_per_second?: number;
}

/**
 * The definition of an issued API key, as stored in the definitions topic; it contains hashes of secrets, never the
 * key's text. Limits such as the number of streams apply to requests only: a later, lower limit must not make a key
 * unreadable.
 */
export class ApiKeyDefinition {
  @IsString() key_id: string;
  @IsString() name: string;
  /** Secrets of the key, the newest first. */
  @ListOf(() => ApiKeySecretHash) secrets: readonly ApiKeySecretHash[];
  @IsArray() @IsString({ each: true }) scopes: readonly string[];
  /** Stream names, or prefixes that end in `*`; undefined allows all streams. */
  @IsOptional() @IsArray() @IsString({ each: true }) streams?: readonly string[];
  /** Expiry of the whole key, as RFC 3339; absent if it does not expire. */
  @IsOptional() @IsTime() expires_at?: string;
  @IsOptional() @Nested(() => ApiKeyRateLimit) rate_limit?: ApiKeyRateLimit;
  @IsTime() created_at: string;
  @IsOptional() @IsTime() rotated_at?: string;
  /** RFC 3339 time of revocation. A revoked key is rejected, and its definition remains for the audit. */
  @IsOptional() @IsTime() revoked_at?: string;
}

const mostKeys = 10_000;

/**
 * Rules of API keys. Each record contains the whole definition of a key. The audit shows the expiry of each secret, and
 * no hash.
 */
export const keyKind: ResourceKind<ApiKeyDefinition> = {
  kind: 'key',
  store: 'keys',
  most: mostKeys,
  full: () => definitionLimitReached(`The limit of ${mostKeys} keys, including revoked ones, is reached.`),
  ...oneRecord(ApiKeyDefinition, { nameOf: ({ key_id }) => key_id }),
  eventType: (before, after) => {
    if (!before) return 'key.created';
    if (!after) return 'key.removed';
    if (after.revoked_at !== before.revoked_at) return 'key.revoked';
    return after.rotated_at === before.rotated_at ? 'key.changed' : 'key.rotated';
  },
  redact: ({ secrets, ...value }) => ({
    ...value,
    secrets: secrets.map(({ expires_at }) => ({ expires_at: expires_at ?? null })),
  }),
};
