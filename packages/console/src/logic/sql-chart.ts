/** A chart of a result: lines over times or numbers, or a bar for each row. */
export type SqlChart = LineSeries | CategoryBars;

export interface LineSeries {
  kind: 'line';
  x: number[];
  isTime: boolean;
  /** At most eight. */
  series: { name: string; values: (number | null)[] }[];
  /** Number of further lines. */
  omitted: number;
}

export interface CategoryBars {
  kind: 'bars';
  /** Rows with a number in the column, in their order; at most fifty. */
  bars: { category: string; value: number; text: string }[];
  /** Number of rows without a bar. */
  omitted: number;
}

/** What the user has chosen, as names of columns; what does not fit the result is ignored. */
export interface ChartChoice {
  kind?: string | undefined;
  x?: string | undefined;
  y?: string | undefined;
}

/** The columns that a result offers for each axis, those that are shown, and the chart. */
export interface ChartView {
  kinds: readonly SqlChart['kind'][];
  kind: SqlChart['kind'];
  xNames: readonly string[];
  x: string;
  yNames: readonly string[];
  /** The name of the only column that is shown; undefined if all are. */
  y: string | undefined;
  chart: SqlChart;
}

const mostBars = 50;
const mostSeries = 8;

interface ResultColumn {
  name: string;
  /** Cells as JSON texts. */
  cells: readonly string[];
  /** What all cells are; a column of numbers may have nulls. */
  type: 'time' | 'number' | 'text';
  hasNulls: boolean;
}

/** Returns a chart of a result with at least two rows and a column of numbers beside another column. */
export function chartOf(
  names: readonly string[],
  rows: readonly (readonly string[])[],
  choice: ChartChoice = {},
): ChartView | undefined {
  if (names.length < 2 || rows.length < 2) return undefined;
  const columns = names.map((name, i) =>
    columnOf(
      name,
      rows.map((row) => row[i] ?? 'null'),
    ),
  );
  const numbers = columns.filter(({ type }) => type === 'number');
  const texts = columns.filter(({ type }) => type === 'text');
  const axes = columns.filter(({ type, hasNulls }) => type !== 'text' && !hasNulls);
  const canBeX = (column: ResultColumn) => numbers.some((other) => other !== column);
  const all = columns.filter(canBeX);
  const lines = axes.filter(canBeX);
  if (all.length === 0) return undefined;
  const chosen = all.find(({ name }) => name === choice.x);
  const usual = lines.find(({ type }) => type === 'time') ?? all[0]!;
  const kinds = lines.length > 0 ? (['line', 'bars'] as const) : (['bars'] as const);
  const isLine = choice.kind === 'line' || (choice.kind !== 'bars' && lines.includes(chosen ?? usual));
  const kind: SqlChart['kind'] = isLine && lines.length > 0 ? 'line' : 'bars';
  const possible = kind === 'line' ? lines : all;
  const x = [chosen, usual].find((one) => one && possible.includes(one)) ?? possible[0]!;
  const ys = numbers.filter((column) => column !== x);
  const y = ys.find(({ name }) => name === choice.y) ?? (kind === 'bars' ? ys[0] : undefined);
  const shown = { kinds, kind, xNames: possible.map(nameOf), x: x.name, yNames: ys.map(nameOf), y: y?.name };
  return { ...shown, chart: kind === 'bars' ? barsOf(x, y!) : linesOf(x, y ? [y] : ys, texts[0]) };
}

const nameOf = ({ name }: ResultColumn) => name;

function columnOf(name: string, cells: readonly string[]): ResultColumn {
  const values = cells.filter((cell) => cell !== 'null');
  const isAll = (read: (cell: string) => number | undefined) =>
    values.length > 0 && values.every((cell) => read(cell) !== undefined);
  const type = isAll(timeOf) ? 'time' : isAll(numberOf) ? 'number' : 'text';
  return { name, cells, type, hasNulls: values.length < cells.length };
}

/** Returns a line for each column; if values of x repeat, a line for each text of a column for the only numbers. */
function linesOf(x: ResultColumn, ys: readonly ResultColumn[], texts: ResultColumn | undefined): LineSeries {
  const isTime = x.type === 'time';
  const positions = x.cells.map((cell) => (isTime ? timeOf(cell)! : numberOf(cell)!));
  const valueAt = ({ cells }: ResultColumn, i: number) => numberOf(cells[i]!) ?? null;
  const hasRepeats = new Set(positions).size < positions.length;
  if (hasRepeats && texts && ys.length === 1) {
    const sorted = [...new Set(positions)].sort((a, b) => a - b);
    const lines = new Map<string, Map<number, number | null>>();
    positions.forEach((position, i) => {
      const name = textOf(texts.cells[i]!);
      if (!lines.has(name)) lines.set(name, new Map());
      lines.get(name)!.set(position, valueAt(ys[0]!, i));
    });
    const all = [...lines].map(([name, values]) => {
      return { name, values: sorted.map((position) => values.get(position) ?? null) };
    });
    return lineSeries(sorted, isTime, all);
  }
  const order = positions.map((_, i) => i).sort((a, b) => positions[a]! - positions[b]!);
  const all = ys.map((y) => ({ name: y.name, values: order.map((i) => valueAt(y, i)) }));
  return lineSeries(
    order.map((i) => positions[i]!),
    isTime,
    all,
  );
}

function lineSeries(x: number[], isTime: boolean, all: LineSeries['series']): LineSeries {
  const series = all.slice(0, mostSeries);
  return { kind: 'line', isTime, x, series, omitted: all.length - series.length };
}

function barsOf(x: ResultColumn, y: ResultColumn): CategoryBars {
  const all = x.cells.flatMap((cell, i) => {
    const text = y.cells[i]!;
    const value = numberOf(text);
    return value === undefined ? [] : [{ category: textOf(cell), value, text: textOf(text) }];
  });
  return {
    kind: 'bars',
    bars: all.slice(0, mostBars),
    omitted: x.cells.length - Math.min(all.length, mostBars),
  };
}

function textOf(cell: string): string {
  return cell.startsWith('"') ? (JSON.parse(cell) as string) : cell;
}

/** ClickHouse writes 64-bit integers as strings. */
function numberOf(cell: string): number | undefined {
  const text = cell.startsWith('"') ? cell.slice(1, -1) : cell;
  return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}

function timeOf(cell: string): number | undefined {
  const [, date, clock = '00:00:00'] =
    /^"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d:\d\d(?:\.\d+)?)Z?)?"$/.exec(cell) ?? [];
  return date === undefined ? undefined : Date.parse(`${date}T${clock}Z`) / 1000;
}
