import { beforeAll, describe, expect, it } from 'vitest';
import { Calendar, calendarUnits } from '#cel';
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

    it.each([
      ['Europe/Berlin', '2026-03-27T12:00:00Z', '2026-04-02T00:00:00Z'],
      ['America/Sao_Paulo', '2018-11-02T00:00:00Z', '2018-11-07T00:00:00Z'],
      ['America/St_Johns', '2010-11-05T00:00:00Z', '2010-11-10T00:00:00Z'],
      ['Pacific/Apia', '2011-12-28T00:00:00Z', '2012-01-02T00:00:00Z'],
      ['Africa/Monrovia', '1972-01-05T00:00:00Z', '1972-01-10T00:00:00Z'],
      ['Europe/Berlin', '1916-04-29T00:00:00Z', '1916-05-03T00:00:00Z'],
    ])('counts each interval of a calendar of %s from %s to %s', async (zone, from, to) => {
      const local = newStream();
      const [since, until] = [parseTime(from) as number, parseTime(to) as number];
      const times = Array.from({ length: 24 }, (_, i) => since + i * Math.floor((until - since) / 24));
      const changes = new Calendar('day', zone).startsBetween(since, until).slice(1);
      const all = [...times, ...changes, ...changes.map((change) => change - 1)];
      await contract.write(rowsOf(local, all.length, (i) => ({ timestamp: all[i] })));
      for (const unit of calendarUnits) {
        const calendar = new Calendar(unit, zone);
        const bucketStarts = calendar.startsBetween(since, until);
        const counted = await contract.count({ streams: [local], since, until, bucketStarts, limit: 100 });
        const starts = all.map((time) => calendar.intervalOf(time).start).sort((a, b) => a - b);
        expect(counted).toEqual({
          buckets: [...new Set(starts)].map((start) => ({
            start,
            count: starts.filter((other) => other === start).length,
          })),
          total: all.length,
        });
      }
    });

    it('counts with as many buckets as an answer may have', async () => {
      const since = parseTime('1990-01-01T00:00:00Z') as number;
      const until = parseTime('2017-01-01T00:00:00Z') as number;
      const bucketStarts = new Calendar('day', 'Europe/Berlin').startsBetween(since, until);
      expect(bucketStarts.length).toBeGreaterThan(9_800);
      const old = newStream();
      await contract.write([eventRow({ stream: old, offset: 0, timestamp: until - 1 })]);
      const { buckets } = await contract.count({ streams: [old], since, until, bucketStarts, limit: 10 });
      expect(buckets).toEqual([{ start: bucketStarts.at(-1), count: 1 }]);
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
