import type { OffsetRange } from '#store';
import { describe, expect, it } from 'vitest';
import { blockOf, uuid } from './event-block.fixture.js';
import { StoredEvents } from './stored-events.js';

const place = { stream: 's', partition: 1 };
/** Not the id of any event that a spec hands over. */
const former = uuid(1e6);

/** A store that has these events, and what it was asked. */
function storedEvents(events: [number, string][], last = Math.max(-1, ...events.map(([offset]) => offset))) {
  const asked: [number, number][] = [];
  const others: number[] = [];
  const stored = new StoredEvents({
    ...place,
    last,
    others: (offset) => others.push(offset),
    writer: {
      stored: async ({ from, until }: OffsetRange) => {
        asked.push([from, until]);
        return events
          .filter(([offset]) => offset >= from && offset < until)
          .map(([offset, event_id]) => ({ offset, event_id }));
      },
    },
  });
  const among = async (offsets: number[]) => {
    const block = blockOf(
      place,
      offsets.map((offset) => ({ offset })),
    );
    return [...(await stored.among(block))].map((row) => offsets[row]);
  };
  return { among, asked, others };
}

describe('StoredEvents', () => {
  it('are those of the same id at the same offset', async () => {
    const { among, others } = storedEvents([
      [3, uuid(3)],
      [5, uuid(5)],
    ]);
    expect(await among([3, 4, 5])).toEqual([3, 5]);
    expect(others).toEqual([]);
  });

  it('are none of another id at the same offset; that is said once', async () => {
    const { among, others } = storedEvents([
      [3, former],
      [4, former],
      [4, uuid(4)],
      [5, former],
    ]);
    expect(await among([3, 4, 5])).toEqual([4]);
    expect(others).toEqual([3]);
  });

  it('are not asked for past the last one', async () => {
    const { among, asked } = storedEvents([[5, uuid(5)]]);
    await among([4, 5, 6, 7]);
    await among([8, 9]);
    expect(asked).toEqual([[4, 6]]);
  });

  it('are asked for in bounded stretches, where there are rows', async () => {
    const { among, asked } = storedEvents([], 10_000_000);
    await among([0, 65_535, 65_536, 9_000_000]);
    expect(asked).toEqual([
      [0, 65_536],
      [65_536, 65_537],
      [9_000_000, 9_000_001],
    ]);
  });
});
