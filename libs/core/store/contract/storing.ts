import { describe, expect, it } from 'vitest';
import { earliestTime, parseTime } from '#json';
import { eventRow, newStream, t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Adds the specs of a store for writing events: a read returns what was written. */
export function describeStoring(contract: StoreContractFixture): void {
  describe('the store', () => {
    it('returns an event as it was written', async () => {
      const stream = newStream();
      const row = eventRow({
        stream,
        partition: 7,
        offset: 9_007_199_254,
        event_type: 'order.плацед "quoted" \\ \t🎉',
        entity_id: "order-17' OR 1=1 --",
        version: 3,
        timestamp: t0 + 123,
        ingested_at: t0 + 4_410,
        schema_version: 2,
        metadata: '{"source":"web"}',
        data: '{"big": 9007199254740993, "exact":0.10, "z":1, "a":"ü\\ud800\\n/", "e":1e400}',
      });
      await contract.write([row]);
      expect(await contract.eventsOf(stream)).toEqual([
        {
          ...row,
          timestamp: '2026-11-21T04:00:00.000123Z',
          ingested_at: '2026-11-21T04:00:00.004410Z',
        },
      ]);
    });

    it('returns null for absent values', async () => {
      const stream = newStream();
      await contract.write([eventRow({ stream, offset: 1 })]);
      const [event] = await contract.eventsOf(stream);
      expect(event).toMatchObject({ entity_id: null, version: null, schema_version: null });
    });

    it('stores and orders times from 1900 to 2199 with microseconds', async () => {
      const stream = newStream();
      const times = [
        '1900-01-01T00:00:00.000000Z',
        '1969-12-31T23:59:59.999999Z',
        '1970-01-01T00:00:00.000000Z',
      ].concat('2099-12-31T23:59:59.999999Z', '2199-12-31T23:59:59.999999Z');
      await contract.write(
        times.map((time, offset) => eventRow({ stream, offset, timestamp: parseTime(time) })),
      );
      const events = await contract.eventsOf(stream);
      expect(events.map((event) => event.timestamp)).toEqual(times);
      const [summary] = await contract.streams({ streams: [stream] });
      expect(summary).toEqual({
        stream,
        events: 5,
        first_timestamp: earliestTime,
        last_timestamp: parseTime(times[4] as string),
      });
    });

    it('stores an event with a megabyte of data', async () => {
      const stream = newStream();
      const data = JSON.stringify({ text: 'ä'.repeat(500_000) });
      await contract.write([eventRow({ stream, offset: 1, data })]);
      expect((await contract.eventsOf(stream))[0]?.data).toBe(data);
    });

    it('accepts an empty list of rows', async () => {
      await contract.write([]);
      await contract.store.writer.appendDeadLetters([]);
    });
  });
}
