import { describe, expect, it } from 'vitest';
import { encodeRecord, EventRecordParser, type EventRecord } from '#event';
import type { EventRow } from '../store.js';
import { EventRowBatchBuilder } from './event-row-batch-builder.js';
import { EventRowBatch, type RowBatchOrigin } from './event-row-batch.js';
import fc from 'fast-check';

const place: RowBatchOrigin = { stream: 'orders', partition: 513 };
const plain: EventRecord = {
  event_id: '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c11',
  event_type: 'order.placed',
  entity_id: 'order-17',
  timestamp: 1_795_000_000_000_123,
  ingested_at: 1_795_000_000_004_410,
  schema_version: null,
  metadata: '{}',
  data: '{"n":1}',
};

/**
 * Returns a row batch with these events at offsets 10, 11, …; the version of each event is its index in the list plus
 * 1.
 */
function blockOf(events: Partial<EventRecord>[], of = place): EventRowBatch {
  const builder = new EventRowBatchBuilder(of);
  const reader = new EventRecordParser();
  builder.begin();
  for (const [i, event] of events.entries()) {
    reader.read(Buffer.from(encodeRecord({ ...plain, ...event })));
    builder.add(reader, 10 + i);
  }
  const block = builder.finish();
  for (let row = 0; row < block.count; row++) block.setVersion(row, row + 1);
  return block;
}

const offsets = (block: EventRowBatch): number[] => block.rows().map(({ offset }) => offset);
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 });
const micros = fc.integer({ min: Date.UTC(1900, 0, 1) * 1000, max: Date.UTC(2199, 0, 1) * 1000 });
const events = fc.record({
  event_id: fc.uuid(),
  event_type: text,
  entity_id: fc.option(text),
  timestamp: micros,
  ingested_at: micros,
  schema_version: fc.option(fc.integer({ min: 1, max: 999_999_999 })),
  metadata: fc.dictionary(text, text).map((value) => JSON.stringify(value)),
  data: fc.dictionary(text, fc.jsonValue()).map((value) => JSON.stringify(value)),
});

describe('EventBlock', () => {
  it('returns every field of the records that it was built from', () => {
    fc.assert(
      fc.property(fc.array(events), text, fc.nat(65_535), (list, stream, partition) => {
        const block = blockOf(list, { stream, partition });
        expect(block.rows()).toEqual(
          list.map((event, i) => ({ ...event, stream, partition, offset: 10 + i, version: i + 1 })),
        );
      }),
    );
  });

  it('has room for any number of rows', () => {
    expect(offsets(blockOf(Array.from({ length: 3000 }, () => ({}))))).toHaveLength(3000);
  });

  it('returns the offset and the event id of a single row', () => {
    const block = blockOf([{}, { event_id: '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c12' }]);
    expect([block.offsetOf(1), block.eventIdOf(1)]).toEqual([11, '019aa4e2-7d53-7c1e-9a3e-0d6a1f0b2c12']);
  });

  it('stores the largest safe integer as a version', () => {
    const block = blockOf([{}]);
    block.setVersion(0, Number.MAX_SAFE_INTEGER);
    expect(block.row(0).version).toBe(Number.MAX_SAFE_INTEGER);
  });

  it('shares its bytes with a slice', () => {
    const block = blockOf([{}, {}, {}, {}]);
    const slice = block.slice(1, 3);
    expect([slice.count, offsets(slice), offsets(block.slice(2, 2))]).toEqual([2, [11, 12], []]);
    block.setVersion(2, 77);
    expect(slice.row(1).version).toBe(77);
    expect(slice.slice(1, 2).rows()).toEqual([block.row(2)]);
  });

  it('joins batches', () => {
    const made = Array.from({ length: 7 }, (_, n) => ({ data: `{"n":"${'x'.repeat(n)}"}` }));
    const whole = blockOf(made);
    const parts = [whole.slice(0, 3), whole.slice(3, 3), whole.slice(3, 4), whole.slice(4, 7)];
    const joined = EventRowBatch.join(parts);
    expect([joined.rows(), joined.bytes]).toEqual([whole.rows(), whole.bytes]);
    expect(EventRowBatch.join([whole])).toBe(whole);
  });

  it('returns a batch without the given rows', () => {
    const block = blockOf([{}, { data: '{"long":"value"}' }, {}]);
    expect(block.without(new Set([0, 2])).rows()).toEqual([block.row(1)]);
    expect(block.without(new Set([1])).rows()).toEqual([block.row(0), block.row(2)]);
    expect(block.without(new Set([0, 1, 2])).count).toBe(0);
  });

  it("lowers the versions of an entity's later events only", () => {
    const block = blockOf(['a', 'b', 'a', null, 'a'].map((entity_id) => ({ entity_id })));
    block.lowerVersions('a', 10);
    const versions = block.rows().map(({ version }: EventRow) => version);
    expect(versions).toEqual([1, 2, 2, 4, 4]);
  });
});
