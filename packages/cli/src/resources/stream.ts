import type { StreamInput } from '#client';
import { members } from '../output/column.js';
import { membersOf, pick } from './defined-members.js';
import type { ResourceOperations } from './resource.js';

const names = membersOf<StreamInput>({
  stream: true,
  partitions: true,
  retention: true,
  snapshot_every: true,
});

/** Streams. Streams are never pruned, because that would delete their events. */
export const streamResource: ResourceOperations = {
  kind: 'stream',
  plural: 'streams',
  columns: members(
    'stream',
    'partitions',
    'events',
    'bytes',
    'lag',
    'retention',
    'snapshot_every',
    'last_timestamp',
  ),
  members: names,
  namedBy: ['stream'],
  optional: ['partitions', 'retention', 'snapshot_every'],
  fixed: ['partitions'],
  prunable: false,
  list: (client, options) => client.streams.list({}, options),
  get: (client, name, options) => client.streams.get(name, options),
  nameOf: ({ stream }) => String(stream),
  definitionOf: (item) => pick(item, names),
  create: (client, wanted, options) => client.streams.create(wanted as unknown as StreamInput, options),
  change: (client, { stream, retention, snapshot_every }, options) => {
    const change = pick({ retention, snapshot_every }, ['retention', 'snapshot_every']);
    return client.streams.change(String(stream), change, options);
  },
  delete: (client, name, { confirm = '', ...options }) =>
    client.streams.delete(name, { confirm, ...options }),
  needs: () => [],
  provides: ({ stream }) => [`stream:${String(stream)}`],
};
