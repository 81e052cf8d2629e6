import { spreadOf } from './statistics.js';

/** The goal of a measured figure as text, and whether the median of the runs reaches it. */
export interface GoalResult {
  text: string;
  reached: boolean;
}

/** One measured figure of the benchmark, with a value for each run. */
export interface MeasuredFigure {
  measure: string;
  what: string;
  unit: string;
  /** One value for each run. */
  runs: number[];
  /** The comparison, measured in the same runs. */
  baseline?: { what: string; runs: number[] };
  must?: GoalResult;
  aim?: GoalResult;
  /** Additional values for the results file. */
  details?: Record<string, unknown>;
}

/** Returns a goal: the figure must be at least, or below, this value. */
export function goal(value: number, rule: { atLeast: number } | { below: number }, unit = ''): GoalResult {
  const bound = 'atLeast' in rule ? rule.atLeast : rule.below;
  const reached = 'atLeast' in rule ? value >= bound : value < bound;
  return { text: `${'atLeast' in rule ? '≥' : '<'} ${figure(bound)}${unit && ` ${unit}`}`, reached };
}

/** Returns the median of the runs divided by the median of the baseline's runs. */
export function ratioOf(row: Pick<MeasuredFigure, 'runs' | 'baseline'>): number {
  return row.baseline ? spreadOf(row.runs).median / spreadOf(row.baseline.runs).median : NaN;
}

/** Returns all rows as a Markdown table. */
export function markdownTable(rows: readonly MeasuredFigure[]): string {
  const head = ['', 'Measure', 'Median', 'Min to max', 'Compared with', 'Ratio', 'Must', 'Aim'];
  const lines = [head, head.map(() => '---'), ...rows.map(cells)];
  return lines.map((line) => `| ${line.join(' | ')} |`).join('\n');
}

function cells(row: MeasuredFigure): string[] {
  const { min, median, max } = spreadOf(row.runs);
  const baseline = row.baseline ? `${row.baseline.what}: ${figure(spreadOf(row.baseline.runs).median)}` : '';
  return [
    row.measure,
    row.what,
    `${figure(median)} ${row.unit}`,
    `${figure(min)} to ${figure(max)}`,
    baseline,
    row.baseline ? ratioOf(row).toFixed(2) : '',
    describe(row.must),
    describe(row.aim),
  ];
}

function describe(wanted: GoalResult | undefined): string {
  return wanted ? `${wanted.text}: ${wanted.reached ? 'yes' : '**no**'}` : '';
}

/** Formats a number with three significant digits and separators of thousands. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '-';
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return Number(value.toFixed(digits)).toLocaleString('en-US').replaceAll(',', ' ');
}
