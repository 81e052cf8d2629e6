import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { StoreContractFixture } from './store-contract.js';

/** Adds the specs of a store for the progress of requested passes of the scrub. */
export function describeScrubPasses(contract: StoreContractFixture): void {
  describe('the progress of a requested scrub', () => {
    it('is the newest in each partition, of this request only', async () => {
      const { scrubPasses } = contract.store;
      const now = Date.now() * 1000;
      const [request, other] = [randomUUID(), randomUUID()];
      const progress = (stream: string, compared: number, at = now) => ({
        ...{
          request,
          stream,
          partition: stream === 'a' ? 1 : 0,
          compared,
          repaired: 1,
          unlogged: 2,
          undecided: 3,
        },
        ...{ is_complete: compared > 9, updated_at: at },
      });
      await scrubPasses.save([progress('b', 5)]);
      await scrubPasses.save([progress('b', 10, now + 1)]);
      await scrubPasses.save([progress('b', 7, now - 1)]);
      await scrubPasses.save([progress('a', 2)]);
      await scrubPasses.save([{ ...progress('a', 4), request: other }]);
      expect(await scrubPasses.of(request)).toEqual([progress('a', 2), progress('b', 10, now + 1)]);
      expect(await scrubPasses.of(randomUUID())).toEqual([]);
      const inA = [progress('a', 2), { ...progress('a', 4), request: other }];
      inA.sort((a, b) => (a.request < b.request ? -1 : 1));
      expect(await scrubPasses.inPartition('a', 1)).toEqual(inA);
      expect(await scrubPasses.inPartition('a', 0)).toEqual([]);
    });
  });
}
