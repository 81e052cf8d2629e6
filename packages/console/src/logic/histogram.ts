import type { EventCountBucket } from '#client';

/** Stacked counts over time: each series has one count for each start. */
export interface Histogram {
  /** Starts of the intervals, in seconds since the epoch. */
  starts: number[];
  series: { name: string; counts: number[] }[];
  intervalSeconds: number;
  /** The times that the chart shows: it ends with the range, also within an interval. */
  shown: [number, number];
}

interface HistogramShape {
  /** Names of the largest types. */
  names: readonly string[];
  /** In seconds since the epoch. */
  range: [number, number];
  intervalSeconds: number;
}

/** An interval that the range cuts has at least this part of its width. */
const leastPart = 0.3;
const intervals = [1, 5, 10, 30, 60, 300, 600, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 604_800] as const;
const mostIntervals = 100;

/** Returns an interval in seconds that divides a range into at most a hundred. */
export function intervalFor(rangeSeconds: number): number {
  const fitting = intervals.find((one) => rangeSeconds / one <= mostIntervals);
  return fitting ?? 86_400 * Math.ceil(rangeSeconds / 86_400 / mostIntervals);
}

/** Returns the whole intervals that contain a range. */
export function wholeIntervals([from, to]: readonly [number, number]): [number, number] {
  const interval = intervalFor(to - from);
  return [Math.floor(from / interval) * interval, (Math.floor(to / interval) + 1) * interval];
}

/** Returns an interval as the API reads it. */
export function intervalText(seconds: number): string {
  if (seconds % 86_400 === 0) return `${seconds / 86_400}d`;
  if (seconds % 3_600 === 0) return `${seconds / 3_600}h`;
  return seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`;
}

/** Returns the names of the largest groups, the largest first. */
export function largest(buckets: readonly EventCountBucket[], most: number): string[] {
  const named = buckets.filter(({ group }) => typeof group === 'string').sort((a, b) => b.count - a.count);
  return named.slice(0, most).map(({ group }) => group!);
}

/**
 * Combines the counts of all events and of the largest types. What is left of all events is the series `others`, if it
 * is not empty.
 */
export function histogramOf(
  { all, typed }: Record<'all' | 'typed', readonly EventCountBucket[]>,
  { names, range, intervalSeconds }: HistogramShape,
): Histogram {
  const first = Math.floor(range[0] / intervalSeconds) * intervalSeconds;
  const length = Math.min(1_000, Math.max(1, Math.ceil((range[1] - first) / intervalSeconds)));
  const starts = Array.from({ length }, (_, i) => first + i * intervalSeconds);
  const counts = new Map<string | undefined, number[]>();
  const add = (name: string | undefined, bucket: EventCountBucket) => {
    const index = Math.round((Date.parse(bucket.start ?? '') / 1000 - first) / intervalSeconds);
    const row = counts.get(name) ?? starts.map(() => 0);
    if (index >= 0 && index < length) row[index]! += bucket.count;
    counts.set(name, row);
  };
  for (const bucket of all) add(undefined, bucket);
  for (const bucket of typed) add(bucket.group ?? '', bucket);
  const series = names.map((name) => ({ name, counts: counts.get(name) ?? starts.map(() => 0) }));
  const totals = counts.get(undefined) ?? starts.map(() => 0);
  const rest = totals.map((total, i) => Math.max(0, total - sum(series.map(({ counts }) => counts[i]!))));
  if (sum(rest) > 0) series.push({ name: 'others', counts: rest });
  const least = leastPart * intervalSeconds;
  const shown: [number, number] = [
    Math.min(Math.max(range[0], first), first + intervalSeconds - least),
    Math.max(Math.min(range[1], starts.at(-1)! + intervalSeconds), starts.at(-1)! + least),
  ];
  return { starts, series, intervalSeconds, shown };
}

/** Returns the index of the interval that contains a time; undefined outside of all. */
export function intervalAt({ starts, intervalSeconds }: Histogram, seconds: number): number | undefined {
  const index = Math.floor((seconds - starts[0]!) / intervalSeconds);
  return index >= 0 && index < starts.length ? index : undefined;
}

/** Returns an interval in UTC: `2026-01-31 10:05 – 10:06`. */
export function spanText(start: number, lengthSeconds: number): string {
  const [from, to] = [start, start + lengthSeconds].map((seconds) => {
    const text = new Date(seconds * 1000).toISOString();
    return { date: text.slice(0, 10), clock: text.slice(11, lengthSeconds < 60 ? 19 : 16) };
  });
  if (lengthSeconds % 86_400 === 0) {
    return lengthSeconds === 86_400 ? from!.date : `${from!.date} – ${to!.date}`;
  }
  return `${from!.date} ${from!.clock} – ${to!.date === from!.date ? '' : `${to!.date} `}${to!.clock}`;
}

/** Returns for each series the sum of itself and those before it. */
export function stacked(series: readonly { counts: number[] }[]): number[][] {
  const sums: number[][] = [];
  for (const { counts } of series) sums.push(counts.map((count, i) => count + (sums.at(-1)?.[i] ?? 0)));
  return sums;
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}
