import { definitionLimitReached } from '../changes/definition-problems.js';
import { oneRecord } from '../resources/one-record.js';
import type { ResourceKind } from '../resources/resource-kind.js';
import type { ResourceStore } from '../resources/resource-store.js';
import { ApiKeyDefinition } from './api-key-definition.js';

declare module '../resources/resource-store.js' {
  interface ResourceStores {
    /** Definitions of API keys, by key id. */
    keys: ResourceStore<ApiKeyDefinition>;
  }
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
