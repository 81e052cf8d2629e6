import type uPlot from 'uplot';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { colors } from '../app/theme.js';
import { indexOfKey } from '../logic/chart-keys.js';
import { grouped, short, tableTime } from '../logic/format.js';
import { intervalAt, spanText, stacked, type Histogram } from '../logic/histogram.js';
import type { LineSeries } from '../logic/sql-chart.js';
import { visibleText } from '../logic/visible-text.js';
import { Button } from './form.js';

const height = 190;

/** The number of the color of a series in the style sheet. */
function seriesNumber(index: number): number {
  return (index % 8) + 1;
}

/** Returns a color of the style sheet as it is drawn: the variable has both its light and its dark value. */
function cssColor(name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

interface PlotProps {
  label: string;
  names: readonly string[];
  data: uPlot.AlignedData;
  options: (library: typeof uPlot) => Omit<uPlot.Options, 'width' | 'height'>;
  /** Whether the values are counts: the axis has whole numbers. */
  areCounts?: boolean;
  /** Returns the index of the point or the bar under the pointer. */
  indexAt: (chart: uPlot) => number | null | undefined;
  /** Returns the position of a point on the x axis. */
  xOf: (index: number) => number;
  /** Returns the time and the values of a point as text. */
  textOf: (index: number) => string;
}

/**
 * Draws with uPlot, which is loaded when the first chart is shown. The values under the pointer, or at which the arrow
 * keys are, stand below the chart. New data is drawn in place.
 */
function Plot(props: PlotProps) {
  const { label, names, data, textOf } = props;
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [pointed, setPointed] = useState<number>();
  useEffect(() => {
    const element = box.current!;
    const resizing = new ResizeObserver(() => chart.current?.setSize({ width: widthOf(element), height }));
    let gone = false;
    void import('./uplot.js').then(({ uPlot: library }) => {
      if (gone) return;
      const options = latest.current.options(library);
      const onCursor = (drawn: uPlot) =>
        setPointed(drawn.cursor.left! < 0 ? undefined : (latest.current.indexAt(drawn) ?? undefined));
      const hooks = { ...options.hooks, setCursor: [onCursor] };
      const tzDate = (seconds: number) => library.tzDate(new Date(seconds * 1000), 'UTC');
      const shape = {
        axes: axesOf(options, latest.current.areCounts === true),
        padding: [6, 20, 0, 0],
        width: widthOf(element),
        height,
      };
      const all = { ...options, ...shape, hooks, tzDate, legend: { show: false } } as uPlot.Options;
      element.replaceChildren();
      chart.current = new library(all, latest.current.data, element);
      resizing.observe(element);
    });
    return () => {
      gone = true;
      resizing.disconnect();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [names.join('\n'), colors.value]);
  useEffect(() => chart.current?.setData(data), [data]);
  const count = data[0].length;
  const index = pointed === undefined || pointed >= count ? undefined : pointed;
  const pointAt = (left: number) => chart.current?.setCursor({ left, top: left < 0 ? left : height / 3 });
  const onKeyDown = (event: KeyboardEvent) => {
    const next = indexOfKey(event.key, index, count);
    if (next === undefined || !chart.current) return;
    event.preventDefault();
    pointAt(chart.current.valToPos(latest.current.xOf(next), 'x'));
  };
  return (
    <>
      <div
        class="chart"
        ref={box}
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={count - 1}
        aria-valuenow={index ?? count - 1}
        aria-valuetext={textOf(index ?? count - 1)}
        onKeyDown={onKeyDown}
        onBlur={() => pointAt(-10)}
      />
      <p class="chart-values small digits">
        {index === undefined ? (
          <span class="muted">
            Point at the chart, or focus it and press the arrow keys, to see its values.
          </span>
        ) : (
          textOf(index)
        )}
      </p>
    </>
  );
}

function widthOf(element: HTMLElement): number {
  return Math.max(200, element.clientWidth);
}

/** Distances between the labels of an axis of counts. */
const wholeSteps = Array.from({ length: 15 }, (_, i) => 10 ** i).flatMap((one) => [one, 2 * one, 5 * one]);

function axesOf({ scales }: Pick<uPlot.Options, 'scales'>, areCounts: boolean): uPlot.Axis[] {
  const axis = {
    stroke: cssColor('--muted'),
    grid: { stroke: cssColor('--line'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  const below = { ...axis, size: 24, space: 72 };
  const beside = { ...axis, size: 52, space: 34, ...(areCounts && { incrs: wholeSteps }) };
  return [
    scales?.x?.time ? { ...below, values: (_, ticks) => ticks.map(axisTime) } : below,
    { ...beside, values: (_, ticks) => ticks.map(short) },
  ];
}

/** The label of a time on an axis: the date at midnight, else the time of day, in UTC. */
function axisTime(seconds: number): string {
  const text = new Date(seconds * 1000).toISOString();
  if (seconds % 86_400 === 0) return text.slice(0, 10);
  return text.slice(11, seconds % 60 === 0 ? 16 : 19);
}

interface HistogramProps {
  histogram: Histogram;
  onRange: (from: number, to: number) => void;
}

/** Counts over time, stacked by type. A drag selects whole intervals, in seconds. */
export function HistogramChart({ histogram, onRange }: HistogramProps) {
  const latest = useRef({ histogram, onRange });
  latest.current = { histogram, onRange };
  const options = (library: typeof uPlot) => {
    const paths = library.paths.bars!({ size: [0.92, Infinity], align: 1 });
    const series = histogram.series.map(({ name }, i): uPlot.Series => {
      const fill = cssColor(`--series-${seriesNumber(i)}`);
      return { label: name, fill, width: 0, paths, points: { show: false } };
    });
    const select = (chart: uPlot) => {
      const { left, width } = chart.select;
      if (width <= 4) return;
      const { histogram, onRange } = latest.current;
      const [from, to] = [left, left + width].map(
        (at) => chart.posToVal(at, 'x') / histogram.intervalSeconds,
      );
      chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
      onRange(Math.floor(from!) * histogram.intervalSeconds, Math.ceil(to!) * histogram.intervalSeconds);
    };
    return {
      // The highest bar is drawn first: the bars of the series below cover its lower part.
      series: [{}, ...series.reverse()],
      hooks: { setSelect: [select] },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false }, y: false },
      scales: {
        x: { time: true, range: () => latest.current.histogram.shown },
        y: { range: (_: uPlot, __: number, most: number) => [0, (most || 1) * 1.05] as [number, number] },
      },
    };
  };
  const data = useMemo(
    () => [histogram.starts, ...stacked(histogram.series).reverse()] as uPlot.AlignedData,
    [histogram],
  );
  const total = histogram.series.flatMap(({ counts }) => counts).reduce((a, b) => a + b, 0);
  return (
    <Plot
      label={`${total} events over time, by type`}
      names={histogram.series.map(({ name }) => name)}
      data={data}
      options={options}
      areCounts
      indexAt={(chart) => intervalAt(histogram, chart.posToVal(chart.cursor.left!, 'x'))}
      xOf={(index) => middleOf(histogram, index)}
      textOf={(index) => barText(histogram, index)}
    />
  );
}

/** Returns the middle of what a chart shows of an interval. */
function middleOf({ starts, intervalSeconds, shown }: Histogram, index: number): number {
  const [from, to] = [
    Math.max(shown[0], starts[index]!),
    Math.min(shown[1], starts[index]! + intervalSeconds),
  ];
  return (from + to) / 2;
}

function barText({ starts, series, intervalSeconds }: Histogram, index: number): string {
  const counts = series
    .map(({ name, counts }) => ({ name, count: counts[index]! }))
    .filter(({ count }) => count > 0);
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const types = counts.map(({ name, count }) => ` · ${visibleText(name)} ${grouped(count)}`);
  return `${spanText(starts[index]!, intervalSeconds)} UTC · ${grouped(total)} events${types.join('')}`;
}

/** Lines over times or numbers. */
export function LineChart({ x, isTime, series }: LineSeries) {
  const names = series.map(({ name }) => name);
  const line = (label: string, i: number): uPlot.Series => {
    const stroke = cssColor(`--series-${seriesNumber(i)}`);
    return { label, stroke, width: 2, points: { fill: cssColor('--surface') } };
  };
  const options = () => ({
    series: [{}, ...names.map(line)],
    cursor: { drag: { x: false, y: false }, y: false },
    scales: { x: { time: isTime } },
  });
  const data = useMemo(() => [x, ...series.map(({ values }) => values)] as uPlot.AlignedData, [x, series]);
  const textOf = (index: number) => {
    const first = isTime ? `${tableTime(new Date(x[index]! * 1000).toISOString())} UTC` : grouped(x[index]!);
    const values = series.map(
      ({ name, values }) => ` · ${visibleText(name)} ${grouped(values[index] ?? '–')}`,
    );
    return first + values.join('');
  };
  return (
    <>
      <Legend names={names} />
      <Plot
        label={`Chart of ${names.join(', ')}`}
        names={names}
        data={data}
        options={options}
        indexAt={(chart) => chart.cursor.idx}
        xOf={(index) => x[index]!}
        textOf={textOf}
      />
    </>
  );
}

/** The names of series beside their colors. */
export function Legend({ names, onSelect }: { names: readonly string[]; onSelect?: (name: string) => void }) {
  return (
    <ul class="legend">
      {names.map((name, i) => (
        <li key={name}>
          <span class={`swatch series-${seriesNumber(i)}`} aria-hidden="true" />
          {onSelect && name !== 'others' ? (
            <Button class="quiet" onClick={() => onSelect(name)}>
              <bdi>{name}</bdi>
            </Button>
          ) : (
            <bdi>{name}</bdi>
          )}
        </li>
      ))}
    </ul>
  );
}
