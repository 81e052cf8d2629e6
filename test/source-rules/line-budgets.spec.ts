import { describe, expect, it } from 'vitest';
import { tellHints } from './findings.js';
import { budgetFindings, nextBudget, type LineBudgets } from './line-budgets.js';
import { isProduction, productionSources, readRules } from './sources.js';

const source = (path: string, lines: number) => ({ path, text: 'x\n'.repeat(lines) });

describe('the production sources', () => {
  it('are within the budgets of line-budgets.json', () => {
    const findings = budgetFindings(productionSources(), readRules<LineBudgets>('line-budgets.json'));
    tellHints(findings);
    expect(findings.problems).toEqual([]);
  });
});

describe('budgetFindings', () => {
  it('reports a folder that exceeds its budget', () => {
    const { problems } = budgetFindings([source('libs/a/x.ts', 7), source('libs/a/b/y.ts', 5)], {
      'libs/a': 10,
    });
    expect(problems).toEqual([
      expect.stringMatching(
        /^libs\/a has 12 lines, 2 more than its budget of 10: shorten it, or set its budget to 50 in /,
      ),
    ]);
  });

  it('accepts a folder that uses its whole budget', () => {
    expect(budgetFindings([source('libs/a/x.ts', 10)], { 'libs/a': 10 })).toEqual({
      problems: [],
      hints: [],
    });
  });

  it('counts a file only for the longest folder that contains it', () => {
    const { problems } = budgetFindings([source('libs/a/b/x.ts', 10), source('libs/a/y.ts', 1)], {
      'libs/a': 1,
      'libs/a/b': 10,
    });
    expect(problems).toEqual([]);
  });

  it('reports a file without a budget, and a budget without files', () => {
    const { problems } = budgetFindings([source('libs/new/x.ts', 1)], { 'libs/old': 10 });
    expect(problems).toEqual([
      'libs/new/x.ts has no budget: add its folder to line-budgets.json',
      'libs/old has no lines: remove it from line-budgets.json',
    ]);
  });

  it('says that a budget can be lowered if it exceeds the lines by more than 100 and by more than 3 %', () => {
    const hintsOf = (lines: number, budget: number) =>
      budgetFindings([source('libs/a/x.ts', lines)], { 'libs/a': budget }).hints;
    expect(hintsOf(999, 1101)).toEqual(['libs/a has 999 lines: its budget of 1101 can be 1000']);
    expect(hintsOf(999, 1099)).toEqual([]);
    expect(hintsOf(10_000, 10_300)).toEqual([]);
    expect(hintsOf(10_000, 10_301)).toHaveLength(1);
  });
});

describe('nextBudget', () => {
  it('is the next multiple of 50', () => {
    expect([1, 50, 51].map(nextBudget)).toEqual([50, 50, 100]);
  });
});

describe('isProduction', () => {
  it.each(['libs/a/src/x.ts', 'packages/console/src/app/app.tsx'])('counts %s', (path) => {
    expect(isProduction(path)).toBe(true);
  });

  it.each([
    'libs/a/src/x.spec.ts',
    'libs/a/src/x.int.spec.ts',
    'libs/a/src/x.fixture.ts',
    'libs/a/src/memory/x.ts',
    'libs/a/src/contract/x.ts',
    'libs/a/src/x.sql',
  ])('does not count %s', (path) => {
    expect(isProduction(path)).toBe(false);
  });
});
