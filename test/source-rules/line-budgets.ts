import type { Findings } from './findings.js';
import type { Source } from './sources.js';

/** The most lines that a folder may have. A file counts for the longest of the folders that contain it. */
export type LineBudgets = Record<string, number>;

/** A budget may exceed the lines by so much before a spec says that it can be lowered. */
const toleratedShare = 0.03;
const toleratedLines = 100;

/** Returns the lines of each folder that has a budget, and the files that belong to none. */
export function countLines(sources: Source[], budgets: LineBudgets) {
  const lines = new Map(Object.keys(budgets).map((folder) => [folder, 0]));
  const withoutBudget: string[] = [];
  const longestFirst = Object.keys(budgets).sort((a, b) => b.length - a.length);
  for (const { path, text } of sources) {
    const folder = longestFirst.find((one) => path.startsWith(`${one}/`));
    if (folder === undefined) withoutBudget.push(path);
    else lines.set(folder, (lines.get(folder) ?? 0) + text.split('\n').length - 1);
  }
  return { lines, withoutBudget };
}

/** Compares the lines with the budgets. */
export function budgetFindings(sources: Source[], budgets: LineBudgets): Findings {
  const { lines, withoutBudget } = countLines(sources, budgets);
  const findings: Findings = {
    problems: withoutBudget.map((path) => `${path} has no budget: add its folder to line-budgets.json`),
    hints: [],
  };
  for (const [folder, real] of lines) {
    const budget = budgets[folder] ?? 0;
    if (real === 0) findings.problems.push(`${folder} has no lines: remove it from line-budgets.json`);
    else if (real > budget)
      findings.problems.push(
        `${folder} has ${real} lines, ${real - budget} more than its budget of ${budget}: shorten it, or set its budget to ${nextBudget(real)} in line-budgets.json and give the reason in the commit message`,
      );
    else if (budget - real > Math.max(toleratedLines, toleratedShare * real))
      findings.hints.push(`${folder} has ${real} lines: its budget of ${budget} can be ${nextBudget(real)}`);
  }
  return findings;
}

/** Returns the budget for so many lines: the next multiple of 50. */
export function nextBudget(lines: number): number {
  return Math.ceil(lines / 50) * 50;
}
