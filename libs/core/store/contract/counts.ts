import { beforeAll, describe, expect, it } from 'vitest';
import { formatTime, parseTime } from '#json';
import { eventRow, newStream, rowsOf, second, t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Adds the specs of a store for counting events. */
export function describeCounts(contract: StoreContractFixture): void {
  describe('a count', () => {
    let stream: string;
    beforeAll(async () => {
      stream = newStream();
      await contract.write(
        rowsOf(stream, 10, (i) => ({
          timestamp: t0 + i * 20 * second,
          entity_id: i % 2 ? `e-${i % 3}` : null,
          event_type: i < 3 ? 'early' : 'late',
        })),
      );
    });

    it('returns one bucket with all events by default', async () => {
      const counted = await contract.count({ streams: [stream], limit: 10 });
      expect(counted).toEqual({ buckets: [{ count: 10 }], total: 10 });
      const filtered = await contract.count({ streams: [stream], eventTypes: ['late'], limit: 10 });
      expect(filtered).toEqual({ buckets: [{ count: 7 }], total: 7 });
    });

    it('returns no bucket if nothing matches', async () => {
      const nothing = { buckets: [], total: 0 };
      expect(await contract.count({ streams: [newStream()], limit: 10 })).toEqual(nothing);
      expect(await contract.count({ streams: [stream], eventTypes: ['x'], limit: 10 })).toEqual(nothing);
    });

    it('groups by stream, event type or entity', async () => {
      const by = (groupBy: 'stream' | 'event_type' | 'entity_id') =>
        contract.count({ streams: [stream], groupBy, limit: 10 });
      expect(await by('stream')).toEqual({ buckets: [{ group: stream, count: 10 }], total: 10 });
      expect((await by('event_type')).buckets).toEqual([
        { group: 'early', count: 3 },
        { group: 'late', count: 7 },
      ]);
      expect((await by('entity_id')).buckets).toEqual([
        { group: null, count: 5 },
        { group: 'e-0', count: 2 },
        { group: 'e-1', count: 2 },
        { group: 'e-2', count: 1 },
      ]);
    });

    it('groups by time, and by time and event type', async () => {
      const minutes = await contract.count({ streams: [stream], intervalSeconds: 60, limit: 10 });
      expect(minutes.buckets).toEqual(
        [0, 1, 2, 3].map((i) => ({ start: t0 + i * 60 * second, count: i < 3 ? 3 : 1 })),
      );
      const both = await contract.count({
        streams: [stream],
        intervalSeconds: 3600,
        groupBy: 'event_type',
        limit: 1,
      });
      expect(both).toEqual({ buckets: [{ start: t0, group: 'early', count: 3 }], total: 10 });
    });

    it('counts by the time of ingestion instead of the time of the events, if that is wanted', async () => {
      const old = newStream();
      const timestamp = parseTime('2001-01-01T00:00:00Z') as number;
      await contract.write(rowsOf(old, 10, (i) => ({ timestamp, ingested_at: t0 + i * 20 * second })));
      const recent = { streams: [old], since: t0 + 40 * second, until: t0 + 180 * second, limit: 10 };
      expect((await contract.count(recent)).total).toBe(0);
      const time = 'ingested_at' as const;
      expect(await contract.count({ ...recent, time, groupBy: 'stream' })).toEqual({
        ...{ buckets: [{ group: old, count: 7 }], total: 7 },
      });
      expect((await contract.count({ ...recent, time, intervalSeconds: 60 })).buckets).toEqual(
        [0, 1, 2].map((i) => ({ start: t0 + i * 60 * second, count: i === 0 ? 1 : 3 })),
      );
      expect(await contract.count({ streams: [old], time, limit: 10 })).toMatchObject({ total: 10 });
    });

    it('aligns day buckets before 1970', async () => {
      const old = newStream();
      await contract.write([
        eventRow({ stream: old, offset: 0, timestamp: parseTime('1969-12-30T12:00:00Z') }),
      ]);
      const days = await contract.count({ streams: [old], intervalSeconds: 86_400, limit: 10 });
      expect(days.buckets.map((bucket) => formatTime(bucket.start as number))).toEqual([
        '1969-12-30T00:00:00.000000Z',
      ]);
    });
  });
}
