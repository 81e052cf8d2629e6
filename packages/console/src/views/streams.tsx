import type { Stream } from '#client';
import { usePages, useResource } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client } from '../app/session.js';
import { bytes, grouped } from '../logic/format.js';
import { ListPage } from '../parts/page.js';
import type { Column } from '../parts/table.js';
import { Ago, Count, Link } from '../parts/values.js';

const rateSeconds = 300;

/** All streams that the key may read. */
export function StreamsView() {
  const streams = usePages((cursor) => client.value.streams.list({ cursor }), [], { everyMs: 15_000 });
  const rates = useResource(ratesOf, [], { everyMs: 15_000 });
  const columns: readonly Column<Stream>[] = [
    {
      name: 'Stream',
      isHeading: true,
      cell: ({ stream }) => <Link href={hrefOf(['streams', stream])} text={stream} />,
    },
    { name: 'Events', isNumber: true, cell: ({ events }) => <Count value={events} /> },
    {
      name: 'Ingested/s, last 5 min',
      isNumber: true,
      class: 'number digits',
      cell: ({ stream }) => (rates.data ? rateText(rates.data.get(stream) ?? 0) : '–'),
    },
    { name: 'Size', isNumber: true, cell: ({ bytes: size }) => (size === null ? '–' : bytes(size)) },
    { name: 'Lag', isNumber: true, cell: ({ lag }) => (lag === null ? '–' : <Count value={lag} />) },
    { name: 'Last event', cell: ({ last_timestamp }) => <Ago value={last_timestamp} /> },
    { name: 'Retention', cell: ({ retention }) => retentionText(retention) },
    { name: 'Partitions', isNumber: true, cell: ({ partitions }) => partitions },
  ];
  return (
    <ListPage
      title="Streams"
      about="Append-only sequences of events."
      of={streams}
      columns={columns}
      keyOf={({ stream }) => stream}
      empty="There are no streams yet."
      hint="The first event creates its stream."
    />
  );
}

async function ratesOf(signal: AbortSignal): Promise<Map<string, number>> {
  const since = new Date(Date.now() - rateSeconds * 1000);
  const { buckets } = await client.value.count(
    { group_by: 'stream', since, until: new Date(), time: 'ingested_at' },
    { signal },
  );
  return new Map(buckets.map(({ group, count }) => [group ?? '', count / rateSeconds]));
}

function rateText(perSecond: number): string {
  if (perSecond === 0) return '0';
  return perSecond < 0.1 ? '< 0.1' : grouped(perSecond.toFixed(perSecond < 10 ? 1 : 0));
}

export function retentionText(retention: Stream['retention']): string {
  if (retention === 'unlimited') return 'unlimited';
  const { time, bytes: size } = retention;
  return [time, size !== undefined && bytes(size)].filter(Boolean).join(', ');
}
