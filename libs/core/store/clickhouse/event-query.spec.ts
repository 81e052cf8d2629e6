import { describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { countSql } from './count-query.js';
import { eventPageSql, eventSelection, type EventPageQuery } from './event-query.js';

const time = (name: string) => `fromUnixTimestamp64Micro({${name}:Int64}, 'UTC')`;
const notDropped = 'stream NOT IN (SELECT stream FROM dropped_streams)';
const page = (query: Partial<EventPageQuery>) => {
  const { query: sql, params } = eventPageSql({ access: allStreams, order: 'asc', rows: 101, ...query });
  return { sql: sql.replace(`SELECT ${eventSelection}\n`, '').trim().split('\n'), params };
};

describe('eventPageSql', () => {
  it('reads one stream in table order', () => {
    expect(page({ streams: ['orders'] })).toEqual({
      sql: [
        'FROM events',
        'WHERE stream = {p0:String}',
        'ORDER BY timestamp ASC, partition ASC, offset ASC',
        'LIMIT {p1:UInt64}',
      ],
      params: { p0: 'orders', p1: 101 },
    });
  });

  it('adds the stream as the last sort column for several streams, and sorts descending on request', () => {
    expect(page({ streams: ['a', 'b'], order: 'desc' })).toEqual({
      sql: [
        'FROM events',
        'WHERE stream IN {p0:Array(String)}',
        'ORDER BY timestamp DESC, partition DESC, offset DESC, stream DESC',
        'LIMIT {p1:UInt64}',
      ],
      params: { p0: ['a', 'b'], p1: 101 },
    });
  });

  it('reads named entities from the table events_by_entity', () => {
    expect(page({ entityIds: ['e'], eventTypes: ['x', 'y'] }).sql.slice(0, 2)).toEqual([
      'FROM events_by_entity',
      `WHERE ${notDropped} AND entity_id = {p0:String} AND event_type IN {p1:Array(String)}`,
    ]);
  });

  it('binds the event type prefix, the times and the bound as parameters', () => {
    const { sql, params } = page({ eventTypePrefix: "a'", since: -5, until: 7, bound: 6 });
    expect(sql[1]).toBe(
      `WHERE ${notDropped} AND startsWith(event_type, {p0:String}) AND timestamp >= ${time('p1')} AND timestamp < ${time('p2')} ` +
        `AND timestamp <= ${time('p3')}`,
    );
    expect(params).toEqual({ p0: "a'", p1: -5, p2: 7, p3: 6, p4: 101 });
  });

  it('continues right after a cursor position', () => {
    const after = { timestamp: 5, partition: 1, offset: 9, stream: 's' };
    const position = `(${time('p0')}, {p1:UInt16}, {p2:UInt64}, {p3:String})`;
    expect(page({ after }).sql[1]).toBe(
      `WHERE ${notDropped} AND timestamp >= ${time('p0')} AND (timestamp, partition, offset, stream) > ${position}`,
    );
    expect(page({ after, order: 'desc' }).sql[1]).toBe(
      `WHERE ${notDropped} AND timestamp <= ${time('p0')} AND (timestamp, partition, offset, stream) < ${position}`,
    );
  });
});

describe('countSql', () => {
  it('deduplicates rows (FINAL) only on request', () => {
    expect(countSql({ access: allStreams, limit: 5 }, false).query).toContain('FROM events\n');
    expect(countSql({ access: allStreams, limit: 5 }, true).query).toContain('FROM events FINAL\n');
    expect(countSql({ access: allStreams, limit: 5, entityIds: ['e'] }, true).query).toContain(
      'FROM events_by_entity FINAL\n',
    );
  });
});
