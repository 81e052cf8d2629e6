import type { ApiKey, ApiKeyInput } from '#client';
import { members } from '../output/column.js';
import { membersOf, pick, sortedNames } from './defined-members.js';
import type { ResourceOperations } from './resource.js';

const names = membersOf<ApiKeyInput>({
  name: true,
  scopes: true,
  streams: true,
  rate_limit: true,
  expires_at: true,
});

/** Keys. Keys are compared by name and found by id; revoked and expired keys are ignored. */
export const keyResource: ResourceOperations = {
  kind: 'key',
  plural: 'keys',
  columns: members('key_id', 'name', 'status', 'scopes', 'streams', 'created_at', 'expires_at'),
  members: names,
  namedBy: ['name'],
  optional: ['expires_at'],
  fixed: names,
  prunable: false,
  list: (client, options) => client.keys.list({}, options),
  get: (client, keyId, options) => client.keys.get(keyId, options),
  nameOf: ({ name }) => String(name),
  definitionOf: (item) => {
    const { scopes, streams, ...rest } = pick(item, names);
    return {
      ...rest,
      scopes: sortedNames(scopes),
      ...(streams !== undefined && { streams: sortedNames(streams) }),
    };
  },
  create: (client, wanted, options) => client.keys.issue(wanted as unknown as ApiKeyInput, options),
  delete: (client, keyId, { signal }) => client.keys.revoke(keyId, { signal }),
  needs: () => [],
  provides: () => [],
};

/** Whether a key is active. */
export function isActive(key: object): boolean {
  return (key as ApiKey).status === 'active';
}
