import { StepBudget } from '#cel';

/** Steps that one `where` may take for the events of one page, and those of one API key together. */
export const filterSteps = { group: 16_000_000, key: 32_000_000 };

/**
 * What the filters of live streams may cost for one page of events. A page of a follower has one of these: whoever is
 * over it is ended, so that a page is evaluated in bounded time.
 */
export class FilterBudgets {
  private readonly spent = new Map<string, number>();

  /**
   * Does the work of one group with what it may cost, and counts what it has cost.
   * @param keyId Null for a port without keys, where only each group is bounded.
   */
  async within(keyId: string | null, work: (budget: StepBudget) => Promise<void>): Promise<void> {
    const before = keyId === null ? 0 : (this.spent.get(keyId) ?? 0);
    const budget = new StepBudget(Math.min(filterSteps.group, filterSteps.key - before));
    await work(budget);
    if (keyId !== null) this.spent.set(keyId, before + budget.spent);
  }
}
