import { streamNameOf } from '#event';
import type { StreamSummariesQuery, StreamSummary } from '../store.js';
import {
  streamBoundariesSql,
  streamsSql,
  type StreamSummaryRow,
  type FirstOrLastTimestampQuery,
} from './summaries.js';
import type { ParameterizedSql } from './connection/sql-params.js';

/** Maximum number of first and last events that one statement looks up. */
const maxBoundaryEventsPerQuery = 50;

type Select = <Row extends readonly unknown[]>(sql: ParameterizedSql) => Promise<Row[]>;

/**
 * Returns each stream with its number of events and its first and last timestamp. The timestamps come from
 * `positions`. If events were removed from the same segment as the first or last event, the timestamp is
 * looked up in `events`.
 */
export async function streamSummaries(query: StreamSummariesQuery, select: Select): Promise<StreamSummary[]> {
  const rows = await select<StreamSummaryRow>(streamsSql(query));
  const doubts = rows.flatMap(([stream, , , , first, last]): FirstOrLastTimestampQuery[] => [
    ...(first ? [{ stream, end: 'first' } as const] : []),
    ...(last ? [{ stream, end: 'last' } as const] : []),
  ]);
  const times = new Map<string, number>();
  for (let i = 0; i < doubts.length; i += maxBoundaryEventsPerQuery) {
    const asked = doubts.slice(i, i + maxBoundaryEventsPerQuery);
    for (const [index, time] of await select<[number, number]>(streamBoundariesSql(asked))) {
      times.set(keyOf(asked[index] as FirstOrLastTimestampQuery), time);
    }
  }
  return rows.map(([stream, events, first, last]) => ({
    stream: streamNameOf(stream),
    events,
    first_timestamp: times.get(keyOf({ stream, end: 'first' })) ?? first,
    last_timestamp: times.get(keyOf({ stream, end: 'last' })) ?? last,
  }));
}

function keyOf({ stream, end }: FirstOrLastTimestampQuery): string {
  return `${end}/${stream}`;
}
