/** The columns of a result that a chart can show: the first as x, the numeric ones as series. */
export interface SqlChart {
  x: number[];
  isTime: boolean;
  series: { name: string; values: (number | null)[] }[];
}

/** Returns a chart if the first column has times or numbers, and another has numbers; cells are JSON texts. */
export function sqlChart(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
): SqlChart | undefined {
  if (columns.length < 2 || rows.length < 2) return undefined;
  const isTime = rows.every(([first = '']) => timeOf(first) !== undefined);
  const x = rows.map(([first = '']) => (isTime ? timeOf(first) : numberOf(first)));
  if (x.some((one) => one === undefined)) return undefined;
  const series = columns.slice(1).flatMap((name, i) => {
    const values = rows.map((row) => numberOf(row[i + 1] ?? 'null') ?? null);
    const numeric = values.some((one) => one !== null);
    return numeric ? [{ name, values }] : [];
  });
  if (series.length === 0) return undefined;
  const order = x.map((_, i) => i).sort((a, b) => x[a]! - x[b]!);
  return {
    x: order.map((i) => x[i]!),
    isTime,
    series: series.map(({ name, values }) => ({ name, values: order.map((i) => values[i]!) })),
  };
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
