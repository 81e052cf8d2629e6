import { describe, expect, it } from 'vitest';
import { FilterBudgets, filterSteps } from './filter-budgets.js';

/** Groups of a key, each of which takes so many steps if it may. @returns how many were within their budget */
async function groupsWithin(
  budgets: FilterBudgets,
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

describe('what the filters of a page may cost', () => {
  const { group, key } = filterSteps;

  it('is bounded for each group', async () => {
    expect(await groupsWithin(new FilterBudgets(), null, [group - 1, group, 2 * group, 1])).toBe(2);
  });

  it('is bounded for all groups of one key together, and leaves other keys theirs', async () => {
    const budgets = new FilterBudgets();
    const hundred = Array.from({ length: 100 }, () => group - 1);
    expect(await groupsWithin(budgets, 'a', hundred)).toBe(key / group);
    expect(await groupsWithin(budgets, 'b', [group - 1])).toBe(1);
  });

  it('is bounded for each group alone on a port without keys', async () => {
    const hundred = Array.from({ length: 100 }, () => group - 1);
    expect(await groupsWithin(new FilterBudgets(), null, [...hundred, group])).toBe(100);
  });
});
