import { afterAll, beforeAll, describe, it } from 'vitest';
import { describeAccess } from './contract/access.js';
import { describeBlocks } from './contract/blocks.js';
import { describeCounts } from './contract/counts.js';
import { describeDeadLetters } from './contract/dead-letters.js';
import { describeFilters } from './contract/filters.js';
import { describeKeeping } from './contract/keeping.js';
import { describeLists } from './contract/lists.js';
import { describeMaterializing } from './contract/materializing.js';
import { describePages } from './contract/pages.js';
import { describeRepeats } from './contract/repeats.js';
import { StoreContract, type StoreUnderTest } from './contract/store-contract.js';

/** What every store promises. `open` gives an empty one, in which nothing is merged while the suite runs. */
export function describeStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} as a store`, () => {
    const contract = new StoreContract(open);
    beforeAll(() => contract.open());
    afterAll(() => contract.close());

    it('answers', async () => {
      await contract.store.ping();
    });

    it('can be migrated again, and by two at once', async () => {
      await Promise.all([contract.store.migrate(), contract.store.migrate()]);
    });

    describeKeeping(contract);
    describeBlocks(contract);
    describePages(contract);
    describeFilters(contract);
    describeRepeats(contract);
    describeMaterializing(contract);
    describeCounts(contract);
    describeLists(contract);
    describeDeadLetters(contract);
    describeAccess(contract);
  });
}
