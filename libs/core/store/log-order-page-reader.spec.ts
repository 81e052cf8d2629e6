import { describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { rowBatchesOf } from './row-batch/row-batches-of.fixture.js';
import { eventRow } from './contract/rows.js';
import type { OffsetRange } from './log-order.js';
import { MemoryStore } from './memory/memory-store.js';
import { LogOrderPageReader } from './log-order-page-reader.js';
import type { EventReader } from './store.js';

const filter = { access: allStreams };

/**
 * Returns an in-memory store with `count` events of about `bytes` bytes each, and a list that records the limit of each
 * query.
 */
async function given(count: number, bytes: number, eventType = 'order.placed') {
  const store = new MemoryStore();
  const rows = Array.from({ length: count }, (_, offset) =>
    eventRow({ stream: 'orders', offset, event_type: eventType, data: `{"text":"${'x'.repeat(bytes)}"}` }),
  );
  await store.writer.appendRowBatches(rowBatchesOf(rows), 't');
  const asked: number[] = [];
  const inLogOrder: EventReader['inLogOrder'] = (query) => {
    asked.push(query.limit);
    return store.reader.inLogOrder(query);
  };
  return { reader: { inLogOrder }, asked };
}

async function readAll(pages: LogOrderPageReader, until: number, more = {}): Promise<number[]> {
  const offsets: number[] = [];
  let ranges: OffsetRange[] = [{ stream: 'orders', partition: 0, from: 0, until }];
  while (ranges.length > 0) {
    const { events, reached } = await pages.read({ ...filter, ...more }, ranges);
    offsets.push(...events.map(({ offset }) => offset));
    ranges = ranges
      .map((range, i) => ({ ...range, from: reached[i]?.next ?? 0 }))
      .filter(({ from }) => from < until);
  }
  return offsets;
}

const upTo = (count: number) => Array.from({ length: count }, (_, i) => i);

describe('reading the log in pages', () => {
  it('reads everything once, in order', async () => {
    const { reader } = await given(350, 10);
    const pages = new LogOrderPageReader({ reader, events: 50, bytes: 1e6 });
    expect(await readAll(pages, 350)).toEqual(upTo(350));
  });

  it('reads fewer events at a time when events are large, and when the store rejects a page as too expensive', async () => {
    const { reader, asked } = await given(100, 150_000);
    const pages = new LogOrderPageReader({ reader, events: 64, bytes: 300_000 });
    expect(await readAll(pages, 100)).toEqual(upTo(100));
    expect(asked.slice(0, 2)).toEqual([64, 16]);
    expect(Math.max(...asked.slice(2))).toBe(1);
  });

  it('widens the offset range of a page when no event matches', async () => {
    const { reader, asked } = await given(10, 10, 'other');
    const pages = new LogOrderPageReader({ reader, events: 50, bytes: 1e6 });
    expect(await readAll(pages, 10_000_000, { eventTypes: ['order.placed'] })).toEqual([]);
    expect(asked.length).toBeLessThan(15);
  });
});
