import type { EventCountQuery, EventCountBucket } from '#client';
import type { Column } from '../output/formats.js';
import type { Command } from './command.js';
import { filterOf, filterOptions, streamsPositional, waitOption } from './event-filter.js';

export const count: Command = {
  name: 'count',
  summary: 'Counts events in total, or by group and time interval.',
  positionals: [streamsPositional],
  options: {
    ...filterOptions,
    by: {
      value: 'MEMBER',
      oneOf: ['stream', 'event_type', 'entity_id'],
      about: 'count each value of this member separately',
    },
    every: { value: 'SPAN', about: 'count each time interval separately: 5m, 1h, 1d' },
    time: {
      value: 'TIME',
      oneOf: ['timestamp', 'ingested_at'],
      about: 'count by the time of the event, or of its ingestion; default: timestamp',
    },
    ...waitOption,
  },
  effect: 'reads',
  async run(session, input) {
    const group_by = input.text('by') as EventCountQuery['group_by'];
    const interval = input.text('every');
    const time = input.text('time') as EventCountQuery['time'];
    const query = { ...filterOf(input), group_by, interval, time, wait_for: input.texts('wait-for') };
    const { signal } = session;
    const { total, buckets } = await (await session.client()).count(query, { signal });
    if (!group_by && !interval) return session.output.one({ count: total });
    await session.output.list(buckets, columnsOf(query));
  },
};

function columnsOf({ group_by, interval }: EventCountQuery): Column<EventCountBucket>[] {
  const group: Column<EventCountBucket> = { name: group_by ?? '', of: (bucket) => bucket.group };
  return [...(interval ? [{ name: 'start' }] : []), ...(group_by ? [group] : []), { name: 'count' }];
}
