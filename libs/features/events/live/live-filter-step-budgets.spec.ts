import { describe, expect, it } from 'vitest';
import { LiveFilterStepBudgets, filterSteps } from './live-filter-step-budgets.js';

/**
 * Runs groups of a key, each of which uses this many steps if its budget allows.
 * @returns how many groups stayed within their budget
 */
async function groupsWithin(
  budgets: LiveFilterStepBudgets,
  keyId: string | null,
  steps: readonly number[],
): Promise<number> {
  let within = 0;
  for (const wanted of steps)
    await budgets.within(keyId, async (budget) => {
      budget.take(budget.most(wanted));
      if (!budget.isSpent) within++;
    });
  return within;
}

describe('the evaluation cost of filters for one page', () => {
  const { group, key } = filterSteps;

  it('is limited for each group', async () => {
    expect(await groupsWithin(new LiveFilterStepBudgets(), null, [group - 1, group, 2 * group, 1])).toBe(2);
  });

  it('is limited for all groups of one key together, without affecting other keys', async () => {
    const budgets = new LiveFilterStepBudgets();
    const hundred = Array.from({ length: 100 }, () => group - 1);
    expect(await groupsWithin(budgets, 'a', hundred)).toBe(key / group);
    expect(await groupsWithin(budgets, 'b', [group - 1])).toBe(1);
  });

  it('is limited for each group only on a port without keys', async () => {
    const hundred = Array.from({ length: 100 }, () => group - 1);
    expect(await groupsWithin(new LiveFilterStepBudgets(), null, [...hundred, group])).toBe(100);
  });
});
