import type { ConsumerRecord, UndecodableRange } from '#kafka';
import type { OffsetRange } from '#store';
import { describe, expect, it } from 'vitest';
import { rowBatchOf, uuid, valueOf } from '../row-batch.fixture.js';
import { eventsWithoutRecord, storedAmong, StoredEventLookup } from './stored-event-lookup.js';

const place = { stream: 's', partition: 1 };
/** An event id that no other event of the specs in this file has. */
const former = uuid(1e6);

/**
 * Returns a `StoredEventLookup` over a store with the given events, and the list of offset ranges that the look-up
 * queries.
 */
function storedEvents(events: [number, string][], last = Math.max(-1, ...events.map(([offset]) => offset))) {
  const asked: [number, number][] = [];
  const stored = new StoredEventLookup({
    ...place,
    last,
    writer: {
      storedEvents: async ({ from, until }: OffsetRange) => {
        asked.push([from, until]);
        return events
          .filter(([offset]) => offset >= from && offset < until)
          .map(([offset, event_id]) => ({ offset, event_id }));
      },
    },
  });
  return { stored, asked };
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
    const { stored, asked } = storedEvents([[5, uuid(5)]]);
    expect(await stored.in({ from: 4, until: 8 })).toEqual(new Map([[5, [uuid(5)]]]));
    expect(await stored.in({ from: 8, until: 10 })).toEqual(new Map());
    expect(asked).toEqual([[4, 8]]);
  });

  it('queries bounded offset ranges', async () => {
    const { stored, asked } = storedEvents([], 10_000_000);
    await stored.in({ from: 1, until: 140_000 });
    expect(asked).toEqual([
      [1, 65_537],
      [65_537, 131_073],
      [131_073, 140_000],
    ]);
  });
});

describe('stored events', () => {
  const stored = new Map([
    [3, [former]],
    [4, [former, uuid(4)]],
    [5, [uuid(5)]],
  ]);

  it('are rows with the same event id at the same offset', () => {
    const rows = rowBatchOf(
      place,
      [2, 3, 4, 5, 6].map((offset) => ({ offset })),
    );
    expect([...storedAmong(rows, stored)].map((row) => rows.offsetOf(row))).toEqual([4, 5]);
    expect(storedAmong(rows, new Map())).toEqual(new Set());
  });

  it('are lost in the log if it has no record with their event id at their offset', () => {
    const all = [2, 3, 4, 5, 6].map((offset) => recordAt(offset));
    const lost = (...events: [number, string][]) =>
      events.map(([offset, event_id]) => ({ offset, event_id }));
    const none = { events: [], after: 0, areLast: true };
    const find = (of: typeof stored, records: ConsumerRecord[], undecodable?: UndecodableRange[]) =>
      eventsWithoutRecord(of, { records, undecodable });
    expect(find(stored, all)).toEqual({
      ...{ events: lost([3, former], [4, former]), after: 0, areLast: false },
    });
    expect(find(stored, [recordAt(4), recordAt(5, 'unreadable')]).events).toEqual(
      lost([3, former], [4, former], [5, uuid(5)]),
    );
    const one = new Map([[5, [uuid(5)]]]);
    expect(find(one, [recordAt(5, null)]).events).toEqual(lost([5, uuid(5)]));
    expect(find(one, all)).toEqual({ ...none, after: 6 });
    expect(find(new Map([...one, [7, [former]]]), all)).toEqual({
      ...{ events: lost([7, former]), after: 6, areLast: true },
    });
    expect(find(new Map(), all)).toEqual(none);
    // The records of these offsets are damaged, not lost.
    expect(find(one, [], [{ offset: 4, lastOffset: 5, reason: 'damaged' }])).toEqual(none);
  });
});
