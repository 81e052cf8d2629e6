import { StepBudget } from '#cel';

/**
 * Limits of evaluation steps for the events of one page: of one `where`, and of all `where` of one API key together.
 */
export const filterSteps = { group: 16_000_000, key: 32_000_000 };

/**
 * The evaluation costs of live streams' filters for one page of events. Each page of a follower has its own budgets, so
 * it is evaluated in bounded time: streams that exceed a budget are ended.
 */
export class FilterBudgets {
  private readonly spent = new Map<string, number>();

  /**
   * Runs the work of one group with its budget, and charges the steps that it used to the key.
   * @param keyId null on a port without keys, where only the limit of each group applies
   */
  async within(keyId: string | null, work: (budget: StepBudget) => Promise<void>): Promise<void> {
    const before = keyId === null ? 0 : (this.spent.get(keyId) ?? 0);
    const budget = new StepBudget(Math.min(filterSteps.group, filterSteps.key - before));
    await work(budget);
    if (keyId !== null) this.spent.set(keyId, before + budget.spent);
  }
}
