import type { LoadableData } from '../app/resource.js';
import { short } from '../logic/format.js';
import { beginning, type Point } from '../logic/health-points.js';
import { Problem } from '../parts/problem.js';
import { Sparkline } from '../parts/sparkline.js';

/** A figure of the overview as text. */
export interface Figure {
  value: string;
  note?: string;
  tone?: 'good' | 'warn' | 'bad';
}

interface TileProps<T> {
  title: string;
  href: string;
  of: LoadableData<T>;
  points?: readonly Point[];
  /** The times that the chart shows. */
  range: readonly [number, number];
  /** Returns a value of the chart as text. */
  format?: (value: number) => string;
  children: (data: T) => Figure;
}

/** A figure with its last hour. It is a link to the view with more. */
export function Tile<T>({ title, href, of, points = [], range, format = short, children }: TileProps<T>) {
  const figure: Figure = of.data === undefined ? { value: '–' } : children(of.data);
  const note = figure.note ?? (of.data === undefined && of.error === undefined ? 'loading' : '');
  const begins = beginning(points, range);
  return (
    <li class={`tile ${figure.tone ?? ''}`}>
      <a href={href}>
        <h2>{title}</h2>
        <p class="tile-value">{figure.value}</p>
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
