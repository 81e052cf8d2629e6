import { useState } from 'preact/hooks';
import type { LoadableData } from '../app/resource.js';
import { indexOfKey } from '../logic/chart-keys.js';
import { duration, short } from '../logic/format.js';
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
  /** The times at the ends of the axis, in seconds. */
  range: readonly [number, number];
  /** Whether the points are measurements, which may begin later than the range. */
  isMeasured?: boolean;
  /** The time of the last refresh, in seconds. */
  now: number;
  /** Returns a value of the chart as text. */
  format?: (value: number) => string;
}

/** A number over a range of time. It is a link to the view with more. */
export function Tile({ title, href, of, stats, points = [], format = short, ...axis }: TileProps) {
  const { range, now, isMeasured = false } = axis;
  const [pointed, setPointed] = useState<number>();
  const note = stats?.note ?? (of.data === undefined && of.error === undefined ? 'loading' : '');
  const begins = isMeasured && beginning(points, range);
  const inRange = isMeasured ? points.filter(([time]) => time >= range[0] && time <= range[1]) : points;
  const drawn = isMeasured ? range : ([points[0]?.[0] ?? 0, points.at(-1)?.[0] ?? 0] as const);
  const point = pointed === undefined ? undefined : inRange[pointed];
  const textOf = ([time, value]: Point) => `${timeText(time)} UTC · ${format(value)}`;
  return (
    <li class={`tile ${stats?.tone ?? ''}`}>
      <a href={href}>
        <h2>{title}</h2>
        <p class="tile-value">{stats?.value ?? '–'}</p>
        <p class="muted small">{note}</p>
      </a>
      {of.error !== undefined ? (
        <Problem error={of.error} isRepeated={of.isRepeated} />
      ) : (
        <>
          <Sparkline
            points={inRange}
            range={drawn}
            label={`${title} over time`}
            {...{ pointed, textOf }}
            onPoint={setPointed}
          />
          <p class="spark-axis muted">
            {point ? (
              <span class="spark-point">{textOf(point)}</span>
            ) : (
              <>
                <span>{begins ? `since ${begins}` : endText(range[0], now)}</span>
                {inRange.length > 0 && (
                  <span>most {format(Math.max(...inRange.map(([, value]) => value)))}</span>
                )}
                <span>{endText(range[1], now)}</span>
              </>
            )}
          </p>
        </>
      )}
    </li>
  );
}

function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
}

/** Returns an end of the axis: how long before the last refresh it is if that is a whole number, else its time. */
function endText(seconds: number, now: number): string {
  const ago = Math.round(now - seconds);
  if (ago < 1) return 'now';
  return ago % 60 === 0 ? `${duration(ago)} ago` : timeText(seconds);
}

interface SparklineProps {
  /** Points are [seconds, value]. */
  points: readonly Point[];
  range: readonly [number, number];
  label: string;
  /** The index of the point under the pointer, or to which the arrow keys lead. */
  pointed?: number;
  textOf: (point: Point) => string;
  onPoint: (index?: number) => void;
}

/** A small line over time, from 0 to its largest value. */
function Sparkline({ points, range, label, pointed, textOf, onPoint }: SparklineProps) {
  const [width, height] = [240, 48];
  const most = Math.max(1e-9, ...points.map(([, value]) => value));
  const x = (time: number) => ((time - range[0]) / (range[1] - range[0])) * width;
  const dotX = ([time]: Point) => Math.min(width - 3, Math.max(3, x(time)));
  const y = (value: number) => height - 2 - (value / most) * (height - 4);
  const line = points.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(' ');
  const [first, last] = [points[0], points.at(-1)];
  // A line that is only some pixels long is hard to see.
  const isShort = first && last && x(last[0]) - x(first[0]) < 4;
  const marked = pointed === undefined ? (isShort ? last : undefined) : points[pointed];
  const point = (event: PointerEvent & { currentTarget: SVGSVGElement }) => {
    const { left, width: wide } = event.currentTarget.getBoundingClientRect();
    onPoint(nearest(points, range[0] + ((event.clientX - left) / wide) * (range[1] - range[0])));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = indexOfKey(event.key, pointed, points.length);
    if (next === undefined) return;
    event.preventDefault();
    onPoint(next);
  };
  const current = points[pointed ?? points.length - 1];
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.max(0, points.length - 1)}
      aria-valuenow={pointed ?? Math.max(0, points.length - 1)}
      aria-valuetext={current ? textOf(current) : 'no values'}
      onPointerMove={point}
      onPointerLeave={() => onPoint()}
      onKeyDown={onKeyDown}
      onBlur={() => onPoint()}
    >
      {first && last && points.length > 1 && (
        <>
          <polygon class="spark-area" points={`${x(first[0])},${height} ${line} ${x(last[0])},${height}`} />
          <polyline class="spark-line" points={line} vector-effect="non-scaling-stroke" />
        </>
      )}
      {marked && (
        <line
          class="spark-dot"
          x1={dotX(marked) - 0.01}
          x2={dotX(marked)}
          y1={y(marked[1])}
          y2={y(marked[1])}
          vector-effect="non-scaling-stroke"
        />
      )}
    </svg>
  );
}

/** Returns the index of the point that is nearest to a time; undefined without points. */
function nearest(points: readonly Point[], seconds: number): number | undefined {
  let found: number | undefined;
  for (const [i, [time]] of points.entries())
    if (found === undefined || Math.abs(time - seconds) < Math.abs(points[found]![0] - seconds)) found = i;
  return found;
}
