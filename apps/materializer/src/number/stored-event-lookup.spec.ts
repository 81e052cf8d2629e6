import type { ConsumerRecord, UndecodableRange } from '#kafka';
import type { OffsetRange, ScrubbedEvent } from '#store';
import { describe, expect, it } from 'vitest';
import { rowBatchOf, uuid, valueOf } from '../row-batch.fixture.js';
import { eventsWithoutRecord, storedAmong, StoredEventLookup } from './stored-event-lookup.js';

const place = { stream: 's', partition: 1 };
/** An event id that no other event of the specs in this file has. */
const former = uuid(1e6);

const stored = (offset: number, event_id: string, complete = true): ScrubbedEvent => ({
  ...{ offset, event_id, complete },
});

/**
 * Returns a `StoredEventLookup` over a store with the given events, and the list of offset ranges that the look-up
 * queries.
 */
function storedEvents(events: [number, string][], last = Math.max(-1, ...events.map(([offset]) => offset))) {
  const asked: [number, number][] = [];
  const lookup = new StoredEventLookup({
    ...place,
    last,
    writer: {
      storedEvents: async ({ from, until }: OffsetRange) => {
        asked.push([from, until]);
        return events
          .filter(([offset]) => offset >= from && offset < until)
          .map(([offset, event_id]) => stored(offset, event_id));
      },
    },
  });
  return { lookup, asked };
}

const recordAt = (
  offset: number,
  value: string | null = valueOf({ event_id: uuid(offset) }),
): ConsumerRecord => ({
  ...{ topic: 't', partition: 1, offset, key: null, timestamp: 1, headers: {} },
  value: value === null ? null : Buffer.from(value),
});

describe('StoredEventLookup', () => {
  it('does not query past the greatest stored offset', async () => {
    const { lookup, asked } = storedEvents([[5, uuid(5)]]);
    expect(await lookup.in({ from: 4, until: 8 })).toEqual(new Map([[5, [stored(5, uuid(5))]]]));
    expect(await lookup.in({ from: 8, until: 10 })).toEqual(new Map());
    expect(asked).toEqual([[4, 8]]);
  });

  it('queries bounded offset ranges', async () => {
    const { lookup, asked } = storedEvents([], 10_000_000);
    await lookup.in({ from: 1, until: 140_000 });
    expect(asked).toEqual([
      [1, 65_537],
      [65_537, 131_073],
      [131_073, 140_000],
    ]);
  });
});

describe('stored events', () => {
  const all = new Map([
    [3, [stored(3, former)]],
    [4, [stored(4, former), stored(4, uuid(4))]],
    [5, [stored(5, uuid(5))]],
    [6, [stored(6, uuid(6), false)]],
  ]);

  it('are rows with the same event id at the same offset that every table has', () => {
    const rows = rowBatchOf(
      place,
      [2, 3, 4, 5, 6].map((offset) => ({ offset })),
    );
    expect([...storedAmong(rows, all)].map((row) => rows.offsetOf(row))).toEqual([4, 5]);
    expect(storedAmong(rows, new Map())).toEqual(new Set());
  });

  it('are lost in the log if it has no record with their event id at their offset', () => {
    const records = [2, 3, 4, 5, 6].map((offset) => recordAt(offset));
    const none = { events: [], matchedUntil: 0 };
    const find = (of: typeof all, logged: ConsumerRecord[], undecodable?: UndecodableRange[]) =>
      eventsWithoutRecord(of, { records: logged, undecodable });
    expect(find(all, records)).toEqual({ events: [stored(3, former), stored(4, former)], matchedUntil: 7 });
    expect(find(all, [recordAt(4), recordAt(5, 'unreadable')])).toEqual({
      events: [stored(3, former), stored(4, former), stored(5, uuid(5)), stored(6, uuid(6), false)],
      matchedUntil: 5,
    });
    const one = new Map([[5, [stored(5, uuid(5))]]]);
    expect(find(one, [recordAt(5, null)])).toEqual({ events: [stored(5, uuid(5))], matchedUntil: 0 });
    expect(find(one, records)).toEqual({ ...none, matchedUntil: 6 });
    expect(find(new Map(), records)).toEqual(none);
    // The records of these offsets are damaged, not lost.
    expect(find(one, [], [{ offset: 4, lastOffset: 5, reason: 'damaged' }])).toEqual(none);
  });
});
