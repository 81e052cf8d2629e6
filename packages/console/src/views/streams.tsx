import type { Stream } from '#client';
import { usePages, useResource } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client } from '../app/session.js';
import { bytes, grouped } from '../logic/format.js';
import { tributary } from '../logic/shell.js';
import { Page } from '../parts/page.js';
import { Empty, Listed } from '../parts/states.js';
import { Table } from '../parts/table.js';
import { Ago, Count, Text } from '../parts/values.js';

const rateSeconds = 300;

const columns = [
  { name: 'Stream' },
  { name: 'Events', isNumber: true },
  { name: 'Ingested/s, last 5 min', isNumber: true },
  { name: 'Size', isNumber: true },
  { name: 'Lag', isNumber: true },
  { name: 'Last event' },
  { name: 'Retention' },
  { name: 'Partitions', isNumber: true },
];

/** All streams that the key may read. */
export function StreamsView() {
  const streams = usePages((cursor) => client.value.streams.list({ cursor }), [], { everyMs: 15_000 });
  const rates = useResource(ratesOf, [], { everyMs: 15_000 });
  const calls = [{ path: '/api/v1/streams', command: tributary('get', ['streams']) }];
  return (
    <Page title="Streams" about="Append-only sequences of events." calls={calls}>
      <Listed
        of={streams}
        empty={<Empty title="There are no streams yet.">The first event creates its stream.</Empty>}
      >
        {(items) => (
          <Table label="Streams" columns={columns}>
            {items.map((one) => (
              <Row
                key={one.stream}
                stream={one}
                perSecond={rates.data?.get(one.stream)}
                isKnown={rates.data !== undefined}
              />
            ))}
          </Table>
        )}
      </Listed>
    </Page>
  );
}

function Row({ stream, perSecond = 0, isKnown }: { stream: Stream; perSecond?: number; isKnown: boolean }) {
  return (
    <tr>
      <th scope="row">
        <a href={hrefOf(['streams', stream.stream])}>
          <Text value={stream.stream} />
        </a>
      </th>
      <td class="number">
        <Count value={stream.events} />
      </td>
      <td class="number digits">{isKnown ? rateText(perSecond) : '–'}</td>
      <td class="number">{stream.bytes === null ? '–' : bytes(stream.bytes)}</td>
      <td class="number">{stream.lag === null ? '–' : <Count value={stream.lag} />}</td>
      <td>
        <Ago value={stream.last_timestamp} />
      </td>
      <td>{retentionText(stream.retention)}</td>
      <td class="number">{stream.partitions}</td>
    </tr>
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
  return perSecond === 0
    ? '0'
    : perSecond < 0.1
      ? '< 0.1'
      : grouped(perSecond.toFixed(perSecond < 10 ? 1 : 0));
}

export function retentionText(retention: Stream['retention']): string {
  if (retention === 'unlimited') return 'unlimited';
  const { time, bytes: size } = retention;
  return [time, size !== undefined && bytes(size)].filter(Boolean).join(', ');
}
