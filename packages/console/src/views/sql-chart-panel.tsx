import { useMemo } from 'preact/hooks';
import { parameter, setQuery } from '../app/router.js';
import { grouped } from '../logic/format.js';
import { chartOf, type CategoryBars } from '../logic/sql-chart.js';
import { visibleText } from '../logic/visible-text.js';
import { LineChart } from '../parts/chart.js';
import { Select } from '../parts/form.js';
import { Text } from '../parts/values.js';

interface SqlChartPanelProps {
  columns: readonly string[];
  /** Cells are JSON texts. */
  rows: readonly (readonly string[])[];
}

const kindNames = { line: 'Line', bars: 'Bars' } as const;

/** A chart of a result, if it has numbers. The URL has the kind and the columns that the user chooses. */
export function SqlChartPanel({ columns, rows }: SqlChartPanelProps) {
  const choice = { kind: parameter('chart'), x: parameter('x'), y: parameter('y') };
  const view = useMemo(() => chartOf(columns, rows, choice), [columns, rows, ...Object.values(choice)]);
  if (!view) return null;
  const { kinds, kind, xNames, x, yNames, y, chart } = view;
  const choose = (change: Record<string, string | undefined>) => setQuery(change, { replace: true });
  const namesOf = (names: readonly string[]) => names.map((name) => [name, visibleText(name)] as const);
  return (
    <section class="card stack" aria-label="Chart">
      <div class="inline">
        <Select
          name="Chart"
          value={kind}
          options={kinds.map((kind) => [kind, kindNames[kind]] as const)}
          onSelect={(chart) => choose({ chart })}
        />
        <Select
          name={kind === 'line' ? 'Across' : 'Category'}
          value={x}
          options={namesOf(xNames)}
          onSelect={(x) => choose({ x, chart: kind })}
        />
        <Select
          name="Value"
          value={y ?? ''}
          options={[...(kind === 'line' ? [['', 'All numbers'] as const] : []), ...namesOf(yNames)]}
          onSelect={(y) => choose({ y: y || undefined })}
        />
      </div>
      {chart.kind === 'line' ? <LineChart {...chart} /> : <Bars {...chart} />}
      {chart.kind === 'line' && chart.omitted > 0 && (
        <p class="muted small">{grouped(chart.omitted)} more lines are not shown: there are at most 8.</p>
      )}
    </section>
  );
}

/** A bar for each category, from zero, with its exact value. */
function Bars({ bars, omitted }: CategoryBars) {
  const values = bars.map(({ value }) => value);
  const [least, most] = [Math.min(0, ...values), Math.max(0, ...values)];
  const span = most - least || 1;
  return (
    <>
      <ul class="ranking sql-bars">
        {bars.map(({ category, value, text }, i) => (
          <li key={i} title={`${visibleText(category)}: ${text}`}>
            <Text value={category} />
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect
                x={(100 * (Math.min(0, value) - least)) / span}
                width={(100 * Math.abs(value)) / span}
                height="1"
              />
            </svg>
            <span class="digits">{grouped(text)}</span>
          </li>
        ))}
      </ul>
      {omitted > 0 && (
        <p class="muted small">
          {grouped(omitted)} rows have no bar: there are at most 50, of rows with a number.
        </p>
      )}
    </>
  );
}
