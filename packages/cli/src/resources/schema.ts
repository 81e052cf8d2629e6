import type { SchemaAddress, SchemaInput } from '#client';
import { UsageError } from '../errors/cli-error.js';
import { members } from '../output/column.js';
import { membersOf, pick } from './defined-members.js';
import type { ResourceOperations } from './resource.js';

const names = membersOf<SchemaAddress & SchemaInput>({
  stream: true,
  event_type: true,
  schema: true,
  mode: true,
  compatibility: true,
});

/** Schemas, named `stream/event_type`. Deleting a schema retires it. */
export const schemaResource: ResourceOperations = {
  kind: 'schema',
  plural: 'schemas',
  columns: members('stream', 'event_type', 'version', 'mode', 'compatibility', 'created_at'),
  members: names,
  namedBy: ['stream', 'event_type'],
  optional: ['mode', 'compatibility'],
  fixed: [],
  prunable: true,
  list: (client, options) => client.schemas.list({}, options),
  get: (client, name, options) => client.schemas.get(addressOf(name), options),
  nameOf: ({ stream, event_type }) => `${String(stream)}/${String(event_type)}`,
  definitionOf: (item) => pick(item, names),
  create: (client, wanted, options) => client.schemas.register(wanted as unknown as SchemaInput, options),
  change: (client, wanted, options) => client.schemas.register(wanted as unknown as SchemaInput, options),
  delete: (client, name, { signal }) => client.schemas.retire(addressOf(name), { signal }),
  needs: ({ stream }) => [`stream:${String(stream)}`],
  provides: () => [],
};

/** Splits the name at the first slash: stream names have no slash, event types may have one. */
function addressOf(name: string): SchemaAddress {
  const at = name.indexOf('/');
  if (at < 1 || at === name.length - 1)
    throw new UsageError(
      `"${name}" is not the name of a schema: write STREAM/EVENT_TYPE, such as orders/order.placed.`,
    );
  return { stream: name.slice(0, at), event_type: name.slice(at + 1) };
}
