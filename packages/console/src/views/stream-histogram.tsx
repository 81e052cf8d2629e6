import type { EventFilter } from '#client';
import { useResource } from '../app/resource.js';
import type { ViewTimes } from '../app/time-range.js';
import { client } from '../app/session.js';
import { setQuery } from '../app/router.js';
import { grouped } from '../logic/format.js';
import { histogramOf, intervalFor, intervalText, largest, wholeIntervals } from '../logic/histogram.js';
import type { TimeBounds } from '../logic/time-range.js';
import { HistogramChart, Legend } from '../parts/chart.js';
import { Loaded } from '../parts/states.js';

const mostTypes = 7;

/** The filters of the view of a stream, without its range of time. */
export type StreamFilter = Omit<EventFilter, 'since' | 'until'> & { stream: string };

interface PanelProps {
  filter: StreamFilter;
  times: ViewTimes;
  skip: boolean;
}

/** The filtered events over time, by type. A drag selects a range. */
export function HistogramPanel({ filter, times, skip }: PanelProps) {
  const { range, bounds, asOf } = times;
  const counted = useResource((signal) => count({ ...filter, ...bounds }, signal), [filter, range], {
    skip,
    asOf,
  });
  if (skip || (counted.data?.total === 0 && range.name === 'all')) return null;
  return (
    <section class="card" aria-label="Events over time">
      <Loaded of={counted}>
        {({ histogram, total }) => (
          <>
            <div class="card-head">
              <h2>{grouped(total)} events</h2>
              <span class="muted small">
                each bar {intervalText(histogram.intervalSeconds)} · drag to zoom
              </span>
            </div>
            <HistogramChart histogram={histogram} onRange={times.zoom} />
            <Legend
              names={histogram.series.map(({ name }) => name)}
              onSelect={(type) => setQuery({ type })}
            />
          </>
        )}
      </Loaded>
    </section>
  );
}

/** Counts all events and those of the largest types. */
async function count(filter: StreamFilter & TimeBounds, signal: AbortSignal) {
  const { value: api } = client;
  const range = await rangeOf(filter, signal);
  const intervalSeconds = intervalFor(range[1] - range[0]);
  const bounds = {
    since: filter.since ?? isoOf(range[0]),
    until: filter.until ?? isoOf(range[1]),
  };
  const within = { ...filter, ...bounds, interval: intervalText(intervalSeconds) };
  const [all, names] = await Promise.all([
    api.count(within, { signal }),
    typesOf({ ...filter, ...bounds }, signal),
  ]);
  const hasTypes = names.length > 0 && all.total > 0;
  const byType = { ...within, event_type: names, group_by: 'event_type' } as const;
  const typed = hasTypes ? (await api.count(byType, { signal })).buckets : [];
  const histogram = histogramOf({ all: all.buckets, typed }, { names, range, intervalSeconds });
  return { histogram, total: all.total };
}

/** Returns the largest types. With more types than an answer may have, there is no order to choose from. */
export async function typesOf(filter: EventFilter, signal: AbortSignal, most = mostTypes): Promise<string[]> {
  try {
    const { buckets } = await client.value.count({ ...filter, group_by: 'event_type' }, { signal });
    return largest(buckets, most);
  } catch (error) {
    if ((error as { code?: string }).code === 'query_too_expensive') return [];
    throw error;
  }
}

/** Returns a range in seconds. A missing bound is that of the interval with the first or with the last event. */
async function rangeOf(
  { stream, since, until }: StreamFilter & TimeBounds,
  signal: AbortSignal,
): Promise<[number, number]> {
  const secondsOf = (time: string | null) => (time ? Date.parse(time) / 1000 : Date.now() / 1000);
  if (since && until) return [secondsOf(since), secondsOf(until)];
  const stored = await client.value.streams.get(stream, { signal });
  const last = secondsOf(until ?? stored.last_timestamp);
  const first = since ? secondsOf(since) : Math.min(last, secondsOf(stored.first_timestamp));
  const [from, to] = wholeIntervals([first, Math.max(first, last)]);
  return [since ? first : from, until ? last : to];
}

function isoOf(seconds: number): string {
  return new Date(Math.floor(seconds) * 1000).toISOString();
}
