import { StepBudget } from '#cel';

/**
 * Limits of CEL evaluation steps while one page of events is delivered: for the filter of one group of live streams,
 * and for all groups of one API key together.
 */
export const filterSteps = { group: 16_000_000, key: 32_000_000 };

/**
 * Counts the CEL evaluation steps of live streams' filters while one page of events is delivered. Each page starts with
 * new budgets. Live streams whose filter exceeds a budget are ended, so the evaluation of a page takes a bounded time.
 */
export class LiveFilterStepBudgets {
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
