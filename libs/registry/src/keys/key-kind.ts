import { ProblemError } from '#api';
import { JsonObjectReader } from '../resources/json-object-reader.js';
import { UnreadableDefinitionError, type ResourceKind } from '../resources/resource-kind.js';
import type { ResourceStore } from '../resources/resource-store.js';
import type { ApiKeyDefinition, ApiKeySecretHash } from './api-key-definition.js';

declare module '../resources/resource-store.js' {
  interface ResourceStores {
    /** Definitions of API keys, by key id. */
    keys: ResourceStore<ApiKeyDefinition>;
  }
}

const slot = '0';
const mostKeys = 10_000;
const sha256Pattern = /^[0-9a-f]{64}$/;

/**
 * Rules of API keys. Each record contains the whole definition of a key. The audit shows the expiry of each secret, and
 * no hash.
 */
export const keyKind: ResourceKind<ApiKeyDefinition> = {
  kind: 'key',
  store: 'keys',
  most: mostKeys,
  full: () =>
    new ProblemError(
      'definition_limit_reached',
      `The limit of ${mostKeys} keys, including revoked ones, is reached.`,
    ),
  nameOf: ({ key_id }) => key_id,
  identityOf: (name) => name,
  write: (value) => ({ slot, body: { ...value } }),
  read: (identity, { body }) => {
    const fields = new JsonObjectReader(body, 'the key');
    if (fields.text('key_id') !== identity)
      throw new UnreadableDefinitionError('key_id differs from the record key');
    return {
      key_id: identity,
      name: fields.text('name'),
      secrets: fields.list('secrets').map(readSecret),
      scopes: fields.texts('scopes'),
      ...fields.optional('streams', (member) => fields.texts(member)),
      ...fields.optional('expires_at', (member) => fields.time(member)),
      ...fields.optional('rate_limit', (member) => readRateLimit(fields.fields(member))),
      created_at: fields.time('created_at'),
      ...fields.optional('rotated_at', (member) => fields.time(member)),
      ...fields.optional('revoked_at', (member) => fields.time(member)),
    };
  },
  compose: (parts) => parts.at(-1) as ApiKeyDefinition,
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

function readSecret(value: unknown): ApiKeySecretHash {
  const fields = new JsonObjectReader(value, 'a secret');
  const sha256 = fields.text('sha256');
  if (!sha256Pattern.test(sha256)) throw new UnreadableDefinitionError('sha256 is not a SHA-256');
  return { sha256, ...fields.optional('expires_at', (member) => fields.time(member)) };
}

function readRateLimit(fields: JsonObjectReader): NonNullable<ApiKeyDefinition['rate_limit']> {
  return {
    ...fields.optional('events_per_second', (member) => fields.rate(member)),
    ...fields.optional('requests_per_second', (member) => fields.rate(member)),
  };
}
