import { streamName } from '#event';
import type { StreamsQuery, StreamSummary } from '../store.js';
import type { Sql } from './event-query.js';
import { streamEndsSql, streamsSql, type SelectedStream, type StreamEnd } from './summaries.js';

/** Ends that one statement looks up. */
const endsAtOnce = 50;

type Select = <Row extends readonly unknown[]>(sql: Sql) => Promise<Row[]>;

/**
 * Streams with how many events they have, and from when to when. The times come with the positions; only where events
 * were removed beside the first or last one are they looked up in the events.
 */
export async function streamSummaries(query: StreamsQuery, select: Select): Promise<StreamSummary[]> {
  const rows = await select<SelectedStream>(streamsSql(query));
  const doubts = rows.flatMap(([stream, , , , first, last]): StreamEnd[] => [
    ...(first ? [{ stream, end: 'first' } as const] : []),
    ...(last ? [{ stream, end: 'last' } as const] : []),
  ]);
  const times = new Map<string, number>();
  for (let i = 0; i < doubts.length; i += endsAtOnce) {
    const asked = doubts.slice(i, i + endsAtOnce);
    for (const [index, time] of await select<[number, number]>(streamEndsSql(asked))) {
      times.set(keyOf(asked[index] as StreamEnd), time);
    }
  }
  return rows.map(([stream, events, first, last]) => ({
    stream: streamName(stream),
    events,
    first_timestamp: times.get(keyOf({ stream, end: 'first' })) ?? first,
    last_timestamp: times.get(keyOf({ stream, end: 'last' })) ?? last,
  }));
}

function keyOf({ stream, end }: StreamEnd): string {
  return `${end}/${stream}`;
}
