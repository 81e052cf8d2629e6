import type { OffsetRange } from '#store';
import { describe, expect, it } from 'vitest';
import { rowBatchOf, uuid } from '../row-batch.fixture.js';
import { StoredEventLookup } from './stored-event-lookup.js';

const place = { stream: 's', partition: 1 };
/** An event id that no other event of the specs in this file has. */
const former = uuid(1e6);

/**
 * Returns a `StoredEventLookup` over a store with the given events, and the list of offset ranges that the look-up
 * queries.
 */
function storedEvents(events: [number, string][], last = Math.max(-1, ...events.map(([offset]) => offset))) {
  const asked: [number, number][] = [];
  const others: number[] = [];
  const stored = new StoredEventLookup(
    {
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
    },
    (offset) => others.push(offset),
  );
  const among = async (offsets: number[]) => {
    const block = rowBatchOf(
      place,
      offsets.map((offset) => ({ offset })),
    );
    return [...(await stored.among(block))].map((row) => offsets[row]);
  };
  return { among, asked, others };
}

describe('StoredEventLookup', () => {
  it('finds rows with the same event id at the same offset', async () => {
    const { among, others } = storedEvents([
      [3, uuid(3)],
      [5, uuid(5)],
    ]);
    expect(await among([3, 4, 5])).toEqual([3, 5]);
    expect(others).toEqual([]);
  });

  it('does not find rows whose offset has another event id, and reports the first of them once', async () => {
    const { among, others } = storedEvents([
      [3, former],
      [4, former],
      [4, uuid(4)],
      [5, former],
    ]);
    expect(await among([3, 4, 5])).toEqual([4]);
    expect(others).toEqual([3]);
  });

  it('does not query past the greatest stored offset', async () => {
    const { among, asked } = storedEvents([[5, uuid(5)]]);
    await among([4, 5, 6, 7]);
    await among([8, 9]);
    expect(asked).toEqual([[4, 6]]);
  });

  it('queries bounded offset ranges that have rows', async () => {
    const { among, asked } = storedEvents([], 10_000_000);
    await among([0, 65_535, 65_536, 9_000_000]);
    expect(asked).toEqual([
      [0, 65_536],
      [65_536, 65_537],
      [9_000_000, 9_000_001],
    ]);
  });
});
