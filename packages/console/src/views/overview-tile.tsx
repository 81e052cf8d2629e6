import type { LoadableData } from '../app/resource.js';
import { short } from '../logic/format.js';
import { beginning, type Point } from '../logic/health-points.js';
import { Problem } from '../parts/states.js';

/** Numbers of the overview as text. */
export interface TileStats {
  value: string;
  note?: string;
  tone?: 'good' | 'warn' | 'bad';
}

interface TileProps {
  title: string;
  href: string;
  of: LoadableData<unknown>;
  /** The numbers, when they are loaded. */
  stats?: TileStats;
  points?: readonly Point[];
  /** The times that the chart shows; those of the points by default. */
  range?: readonly [number, number];
  /** Returns a value of the chart as text. */
  format?: (value: number) => string;
}

/** A number with its last hour. It is a link to the view with more. */
export function Tile({ title, href, of, stats, points = [], format = short, ...chart }: TileProps) {
  const { range = [points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0] } = chart;
  const note = stats?.note ?? (of.data === undefined && of.error === undefined ? 'loading' : '');
  const begins = beginning(points, range);
  return (
    <li class={`tile ${stats?.tone ?? ''}`}>
      <a href={href}>
        <h2>{title}</h2>
        <p class="tile-value">{stats?.value ?? '–'}</p>
        <p class="muted small">{note}</p>
      </a>
      {of.error !== undefined ? (
        <Problem error={of.error} />
      ) : (
        <>
          <Sparkline points={points} range={range} label={`${title} over the last hour`} />
          <p class="spark-axis muted">
            <span>{begins ? `since ${begins}` : '1 h ago'}</span>
            {points.length > 0 && <span>most {format(Math.max(...points.map(([, value]) => value)))}</span>}
            <span>now</span>
          </p>
        </>
      )}
    </li>
  );
}

interface SparklineProps {
  points: readonly Point[];
  range: readonly [number, number];
  label: string;
}

/** A small line over time, from 0 to its largest value. Points are [seconds, value]; those before the range are cut off. */
function Sparkline({ points, range, label }: SparklineProps) {
  const [width, height] = [240, 48];
  const most = Math.max(1e-9, ...points.map(([, value]) => value));
  const x = (time: number) => ((time - range[0]) / (range[1] - range[0])) * width;
  const y = (value: number) => height - 2 - (value / most) * (height - 4);
  const line = points.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const [first, last] = [points[0], points.at(-1)];
  // A line that is only some pixels long is hard to see.
  const hasDot = first && last && x(last[0]) - x(first[0]) < 4;
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {hasDot && (
        <line
          class="spark-dot"
          x1={x(last[0]) - 3.01}
          x2={x(last[0]) - 3}
          y1={y(last[1])}
          y2={y(last[1])}
          vector-effect="non-scaling-stroke"
        />
      )}
      {first && last && points.length > 1 && (
        <>
          <polygon class="spark-area" points={`${x(first[0])},${height} ${line} ${x(last[0])},${height}`} />
          <polyline class="spark-line" points={line} vector-effect="non-scaling-stroke" />
        </>
      )}
    </svg>
  );
}
