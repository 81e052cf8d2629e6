import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { InvalidCursorError } from '../errors.js';
import { eventRow, newStream, rowsOf, second, t0 } from './rows.js';
import type { StoreContractFixture } from './store-contract.js';

/** Specs of looking up single events, and of listing streams and entities. */
export function describeLists(contract: StoreContractFixture): void {
  describe('the reader', () => {
    it('finds an event by its id in upper or lower case, and returns the one that was ingested first', async () => {
      const stream = newStream();
      const event_id = randomUUID();
      await contract.write([
        eventRow({ stream, offset: 8, event_id }),
        eventRow({ stream, offset: 3, event_id }),
      ]);
      expect(await contract.byId(event_id.toUpperCase())).toMatchObject({
        event_id,
        offset: 3,
      });
      expect(await contract.byId(randomUUID())).toBeUndefined();
    });

    it('lists streams ordered by name', async () => {
      const [a, b] = [`a${newStream()}`, `b${newStream()}`];
      await contract.write([
        eventRow({ stream: b, offset: 0 }),
        eventRow({ stream: a, offset: 4, partition: 3 }),
      ]);
      const names = (await contract.streams({})).map((summary) => summary.stream);
      expect(names).toEqual([...names].sort());
      expect(names).toEqual(expect.arrayContaining([a, b]));
      expect(await contract.streams({ streams: [a] })).toEqual([
        { stream: a, events: 1, first_timestamp: t0 + 4 * second, last_timestamp: t0 + 4 * second },
      ]);
    });

    it('pages through entities in order', async () => {
      const stream = newStream();
      const ids = Array.from({ length: 9 }, (_, i) => `e-${i}`);
      await contract.write(rowsOf(stream, 9, (i) => ({ entity_id: ids[i], version: i + 1 })));
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await contract.entities({ stream, limit: 4, cursor });
        seen.push(...page.items.map((entity) => entity.entity_id));
        cursor = page.nextCursor;
      } while (cursor);
      expect(seen).toEqual(ids);
      const first = await contract.entities({ stream, limit: 1 });
      expect(first.items).toEqual([{ stream, entity_id: 'e-0', version: 1, last_timestamp: t0 }]);
      const elsewhere = contract.entities({ stream: newStream(), limit: 1, cursor: first.nextCursor });
      await expect(elsewhere).rejects.toBeInstanceOf(InvalidCursorError);
      const everywhere = await contract.entities({ limit: 1 });
      const next = await contract.entities({ limit: 1, cursor: everywhere.nextCursor });
      expect(next.items).not.toEqual(everywhere.items);
    });
  });
}
