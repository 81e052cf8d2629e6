import { afterAll, afterEach, beforeAll, beforeEach, describe, it } from 'vitest';
import { describeAccess } from './contract/access.js';
import { describeRowBatches } from './contract/row-batches.js';
import { describeCounts } from './contract/counts.js';
import { describeDeadLetters } from './contract/dead-letters.js';
import { describeDropping } from './contract/dropping.js';
import { describeErasing } from './contract/erasing.js';
import { describeFilters } from './contract/filters.js';
import { describeStoring } from './contract/storing.js';
import { describeKeyedStates } from './contract/keyed-states.js';
import { describeLists } from './contract/lists.js';
import { describeLogOrder } from './contract/log-order.js';
import { describeLostEvents } from './contract/lost-events.js';
import { describeMaterializing } from './contract/materializing.js';
import { describePages } from './contract/pages.js';
import { describeRepeatedRows } from './contract/repeats.js';
import { describeScrubPasses } from './contract/scrub-passes.js';
import { describeRetention } from './contract/retention.js';
import { describeScrubbing } from './contract/scrubbing.js';
import { StoreContractFixture, type StoreUnderTest } from './contract/store-contract.js';

type ContractSuite = (contract: StoreContractFixture) => void;

const writingAndReading: ContractSuite[] = [
  describeServing,
  describeStoring,
  describeRowBatches,
  describePages,
  describeLogOrder,
  describeFilters,
  describeRepeatedRows,
  describeMaterializing,
  describeCounts,
  describeLists,
  describeDeadLetters,
  describeAccess,
  describeKeyedStates,
  describeScrubPasses,
];

const removing: ContractSuite[] = [
  describeErasing,
  describeRetention,
  describeDropping,
  describeLostEvents,
  describeScrubbing,
];

/**
 * The contract suite that every store must pass. `open` returns an empty store in which no parts are merged
 * while the suite runs. Each removal test opens a store of its own, because a removal takes longer the more
 * data was written before.
 * @param isChosen Whether the next test runs, for a store on which all of them take too long.
 */
export function describeStore(
  name: string,
  open: () => Promise<StoreUnderTest>,
  isChosen: () => boolean = () => true,
): void {
  const maySkip = () => beforeEach(({ skip }) => skip(!isChosen()));
  describe(`${name} as a store`, () => {
    const contract = new StoreContractFixture(open);
    maySkip();
    beforeAll(() => contract.open());
    afterAll(() => contract.close());
    for (const describeTheme of writingAndReading) describeTheme(contract);
  });

  describe(`${name} as a store with removals`, () => {
    const contract = new StoreContractFixture(open);
    maySkip();
    beforeEach(() => contract.open());
    afterEach(() => contract.close());
    for (const describeTheme of removing) describeTheme(contract);
  });
}

function describeServing(contract: StoreContractFixture): void {
  it('answers', async () => {
    await contract.store.ping();
  });

  it('can be migrated repeatedly and concurrently', async () => {
    await Promise.all([contract.store.migrate(), contract.store.migrate()]);
  });
}
