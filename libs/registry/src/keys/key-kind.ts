import { ProblemError } from '#api';
import { readDefinition } from '../resources/read-definition.js';
import { UnreadableDefinitionError, type ResourceKind } from '../resources/resource-kind.js';
import type { ResourceStore } from '../resources/resource-store.js';
import { ApiKeyDefinition } from './api-key-definition.js';

declare module '../resources/resource-store.js' {
  interface ResourceStores {
    /** Definitions of API keys, by key id. */
    keys: ResourceStore<ApiKeyDefinition>;
  }
}

const slot = '0';
const mostKeys = 10_000;

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
    const key = readDefinition(ApiKeyDefinition, body);
    if (key.key_id !== identity) throw new UnreadableDefinitionError('key_id differs from the record key');
    return key;
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
