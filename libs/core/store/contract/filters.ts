import { beforeAll, describe, expect, it } from 'vitest';
import { newStream, offsetsOf, rowsOf, second, t0 } from './rows.js';
import type { UnscopedEventQuery, StoreContractFixture } from './store-contract.js';

/** Adds the specs of a store for each filter of events, alone and combined. */
export function describeFilters(contract: StoreContractFixture): void {
  describe('a filter', () => {
    let stream: string;
    let other: string;
    beforeAll(async () => {
      [stream, other] = [newStream(), newStream()];
      await contract.write(
        rowsOf(stream, 12, (i) => ({
          event_type: `type.${i % 3}`,
          entity_id: i % 4 === 0 ? null : `entity-${i % 4}`,
          version: i % 4 === 0 ? null : Math.floor(i / 4) + 1,
        })),
      );
      await contract.write(rowsOf(other, 3, () => ({ event_type: 'other', entity_id: 'entity-1' })));
    });

    const find = async (query: Partial<UnscopedEventQuery>) =>
      offsetsOf(await contract.query({ streams: [stream], order: 'asc', limit: 100, ...query }));

    it('matches one event type, several event types and a prefix', async () => {
      expect(await find({ eventTypes: ['type.1'] })).toEqual([1, 4, 7, 10]);
      expect(await find({ eventTypes: ['type.1', 'type.2', 'none'] })).toHaveLength(8);
      expect(await find({ eventTypePrefix: 'type.' })).toHaveLength(12);
      expect(await find({ eventTypePrefix: 'type._' })).toEqual([]);
    });

    it('matches entities, alone and with other filters', async () => {
      expect(await find({ entityIds: ['entity-1'] })).toEqual([1, 5, 9]);
      expect(await find({ entityIds: ['entity-1', 'entity-2'], eventTypes: ['type.0'] })).toEqual([6, 9]);
      expect(await find({ streams: undefined, entityIds: ['entity-1'], since: t0 + second })).toContain(9);
      expect(await find({ streams: [stream, other], entityIds: ['entity-1'] })).toEqual([0, 1, 1, 2, 5, 9]);
      expect(await find({ entityIds: [''] })).toEqual([]);
    });

    it('matches a time range: since is inclusive, until is exclusive', async () => {
      expect(await find({ since: t0 + 3 * second, until: t0 + 5 * second })).toEqual([3, 4]);
      expect(await find({ since: t0 + 3 * second + 1, until: t0 + 4 * second + 1 })).toEqual([4]);
    });

    it('matches several streams, and nothing for an empty list of streams', async () => {
      expect(await find({ streams: [stream, other], eventTypes: ['other', 'type.0'] })).toHaveLength(7);
      expect(await find({ streams: [] })).toEqual([]);
    });

    it.each([
      "' OR 1=1 --",
      '"; DROP TABLE events; --',
      '`',
      '\\',
      "\\'",
      '{p0:String}',
      '/* */',
      '%',
      '\0',
      '\n',
    ])('treats %j as a plain value', async (value) => {
      expect(await find({ streams: [value] })).toEqual([]);
      expect(await find({ eventTypes: [value] })).toEqual([]);
      expect(await find({ eventTypes: [value, 'type.1'] })).toHaveLength(4);
      expect(await find({ entityIds: [value, 'entity-1'] })).toHaveLength(3);
      expect(await find({ eventTypePrefix: value })).toEqual([]);
      expect(await contract.byId(value)).toBeUndefined();
      expect(await contract.streams({ streams: [value] })).toEqual([]);
      expect((await contract.entities({ stream: value, limit: 5 })).items).toEqual([]);
      expect((await contract.deadLetters({ source: value, limit: 5 })).items).toEqual([]);
    });
  });
}
