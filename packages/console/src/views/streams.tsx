import type { Stream } from '#client';
import { usePages, useResource } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client } from '../app/session.js';
import { bytes, grouped } from '../logic/format.js';
import { refreshMs } from '../parts/list.js';
import { ListPage } from '../parts/page.js';
import { numberColumn, type Column } from '../parts/table.js';
import { Ago, Link } from '../parts/values.js';
import { NewStream } from './stream-changes.js';

const rateSeconds = 300;

/** All streams that the key may read. */
export function StreamsView() {
  const everyMs = refreshMs;
  const streams = usePages((cursor) => client.value.streams.list({ cursor, limit: 500 }), [], { everyMs });
  const rates = useResource(ratesOf, [], { everyMs });
  const columns: readonly Column<Stream>[] = [
    {
      name: 'Stream',
      isHeading: true,
      value: ({ stream }) => stream,
      cell: ({ stream }) => <Link href={hrefOf(['streams', stream])} text={stream} />,
    },
    numberColumn('Events', ({ events }) => events),
    {
      ...numberColumn<Stream>('Rate', ({ stream }) => rates.data && (rates.data.get(stream) ?? 0), {
        show: rateText,
      }),
      title: () => 'Ingested/s, last 5 min',
    },
    numberColumn('Size', ({ bytes: size }) => size, { show: bytes }),
    numberColumn('Lag', ({ lag }) => lag),
    {
      name: 'Last event',
      value: ({ last_timestamp }) => last_timestamp,
      cell: ({ last_timestamp }) => <Ago value={last_timestamp} />,
    },
    {
      name: 'Retention',
      value: ({ retention }) => retentionText(retention),
      cell: ({ retention }) => retentionText(retention),
    },
    numberColumn('Partitions', ({ partitions }) => partitions),
  ];
  return (
    <ListPage
      title="Streams"
      about="Append-only sequences of events."
      of={streams}
      columns={columns}
      keyOf={({ stream }) => stream}
      textOf={({ stream }) => stream}
      isFolded
      actions={<NewStream />}
      empty="There are no streams yet."
      hint="The first event creates its stream."
    />
  );
}

export async function ratesOf(signal: AbortSignal): Promise<Map<string, number>> {
  const since = new Date(Date.now() - rateSeconds * 1000);
  const { buckets } = await client.value.count(
    { group_by: 'stream', since, until: new Date(), time: 'ingested_at' },
    { signal },
  );
  return new Map(buckets.map(({ group, count }) => [group ?? '', count / rateSeconds]));
}

export function rateText(perSecond: number): string {
  if (perSecond === 0) return '0';
  return perSecond < 0.1 ? '< 0.1' : grouped(perSecond.toFixed(perSecond < 10 ? 1 : 0));
}

export function retentionText(retention: Stream['retention']): string {
  if (retention === 'unlimited') return 'unlimited';
  const { time, bytes: size } = retention;
  return [time, size !== undefined && bytes(size)].filter(Boolean).join(', ');
}
