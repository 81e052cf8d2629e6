import type uPlot from 'uplot';
import { useEffect, useRef } from 'preact/hooks';
import { colors } from '../app/theme.js';
import { short } from '../logic/format.js';
import { stacked, type Histogram } from '../logic/histogram.js';
import type { SqlChart } from '../logic/sql-chart.js';
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

type Plot = (library: typeof uPlot) => Omit<uPlot.Options, 'width' | 'height'> & { data: uPlot.AlignedData };

/** Draws with uPlot, which is loaded when the first chart is shown. */
function usePlot(plot: Plot, inputs: readonly unknown[]) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let chart: uPlot | undefined;
    let gone = false;
    const element = box.current!;
    const widthOf = () => Math.max(200, element.clientWidth);
    const resizing = new ResizeObserver(() => chart?.setSize({ width: widthOf(), height }));
    void import('./uplot.js').then(({ uPlot: library }) => {
      if (gone) return;
      const { data, ...options } = plot(library);
      const axis = {
        stroke: cssColor('--muted'),
        grid: { stroke: cssColor('--line'), width: 1 },
        ticks: { show: false },
        font: '11px system-ui, sans-serif',
      };
      const isTime = options.scales?.x?.time === true;
      const below = { ...axis, size: 24 };
      const axes = [
        isTime ? { ...below, values: (_: uPlot, ticks: number[]) => ticks.map(axisTime) } : below,
        { ...axis, size: 52, space: 34, values: (_: uPlot, ticks: number[]) => ticks.map(short) },
      ];
      element.replaceChildren();
      const tzDate = (seconds: number) => library.tzDate(new Date(seconds * 1000), 'UTC');
      const shape = { axes, padding: [6, 20, 0, 0], width: widthOf(), height, legend: { show: false } };
      chart = new library({ ...options, ...shape, tzDate } as uPlot.Options, data, element);
      resizing.observe(element);
    });
    return () => {
      gone = true;
      resizing.disconnect();
      chart?.destroy();
    };
  }, [...inputs, colors.value]);
  return box;
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

/** Counts over time, stacked by type. A drag selects a range of time, in seconds. */
export function HistogramChart({ histogram, onRange }: HistogramProps) {
  const plot: Plot = (library) => {
    const paths = library.paths.bars!({ size: [0.9, 60], align: 1 });
    const series = histogram.series.map(({ name }, i): uPlot.Series => {
      const fill = cssColor(`--series-${seriesNumber(i)}`);
      return { label: name, fill, width: 0, paths, points: { show: false } };
    });
    const select = (chart: uPlot) => {
      const { left, width } = chart.select;
      if (width > 4) onRange(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'));
    };
    const end = histogram.starts.at(-1)! + histogram.intervalSeconds;
    return {
      // The highest bar is drawn first: the bars of the series below cover its lower part.
      series: [{}, ...series.reverse()],
      data: [histogram.starts, ...stacked(histogram.series).reverse()] as uPlot.AlignedData,
      hooks: { setSelect: [select] },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { show: false } },
      scales: {
        x: { time: true, range: [histogram.starts[0]!, end] },
        y: { range: (_, __, most) => [0, (most || 1) * 1.05] },
      },
    };
  };
  const box = usePlot(plot, [histogram]);
  const total = histogram.series.flatMap(({ counts }) => counts).reduce((a, b) => a + b, 0);
  return <div class="chart" ref={box} role="img" aria-label={`${total} events over time, by type`} />;
}

/** Lines over times or numbers. */
export function LineChart({ x, isTime, series }: SqlChart) {
  const names = series.map(({ name }) => name);
  const line = (label: string, i: number): uPlot.Series => {
    const stroke = cssColor(`--series-${seriesNumber(i)}`);
    return { label, stroke, width: 2, points: { fill: cssColor('--surface') } };
  };
  const plot: Plot = () => ({
    series: [{}, ...names.map(line)],
    data: [x, ...series.map(({ values }) => values)],
    cursor: { drag: { x: false, y: false } },
    scales: { x: { time: isTime } },
  });
  const box = usePlot(plot, [x, series]);
  return (
    <>
      <Legend names={names} />
      <div class="chart" ref={box} role="img" aria-label={`Chart of ${names.join(', ')}`} />
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
