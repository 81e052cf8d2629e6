import type { EventFilter } from '#client';
import { useResource } from '../app/resource.js';
import { client } from '../app/session.js';
import { setQuery } from '../app/router.js';
import { grouped } from '../logic/format.js';
import { histogramOf, intervalFor, intervalText, largest } from '../logic/histogram.js';
import { HistogramChart, Legend } from '../parts/chart.js';
import { Button } from '../parts/form.js';
import { Loaded } from '../parts/states.js';

const mostTypes = 7;
const allTimes = { since: undefined, until: undefined };

interface PanelProps {
  filter: EventFilter;
  first?: string | null;
  skip: boolean;
}

/** The filtered events over time, by type. A drag selects a range. */
export function HistogramPanel({ filter, first, skip }: PanelProps) {
  const counted = useResource((signal) => count(filter, first ?? undefined, signal), [filter, first], {
    skip,
    everyMs: 30_000,
  });
  if (skip || counted.data?.total === 0) return null;
  return (
    <section class="card" aria-label="Events over time">
      <Loaded of={counted}>
        {({ histogram, total }) => (
          <>
            <div class="card-head">
              <h2>{grouped(total)} events</h2>
              <span class="muted small">
                each bar {intervalText(histogram.intervalSeconds)} · drag to zoom
                {(filter.since || filter.until) && (
                  <Button class="quiet" onClick={() => setQuery(allTimes)}>
                    All times
                  </Button>
                )}
              </span>
            </div>
            <HistogramChart histogram={histogram} onRange={selectRange} />
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

function selectRange(from: number, to: number): void {
  const text = (seconds: number) => new Date(seconds * 1000).toISOString();
  setQuery({ since: text(from), until: text(to) });
}

/** Counts all events and those of the largest types, in two requests more than one. */
async function count(filter: EventFilter, first: string | undefined, signal: AbortSignal) {
  const { value: api } = client;
  const range = rangeOf(filter, first);
  const intervalSeconds = intervalFor(range[1] - range[0]);
  const bounds = {
    since: filter.since ?? isoOf(range[0]),
    until: filter.until ?? isoOf(Math.ceil(range[1])),
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
async function typesOf(filter: EventFilter, signal: AbortSignal): Promise<string[]> {
  try {
    const { buckets } = await client.value.count({ ...filter, group_by: 'event_type' }, { signal });
    return largest(buckets, mostTypes);
  } catch (error) {
    if ((error as { code?: string }).code === 'query_too_expensive') return [];
    throw error;
  }
}

function rangeOf(filter: EventFilter, first: string | undefined): [number, number] {
  const now = Date.now() / 1000;
  // The API refuses a text that is no time: the range is of no importance then.
  const secondsOf = (time: unknown) => (Date.parse(String(time)) || now * 1000) / 1000;
  const from = filter.since ? secondsOf(filter.since) : first ? secondsOf(first) : now - 3600;
  const to = filter.until ? secondsOf(filter.until) : Math.max(now, from + 1);
  return [from, Math.max(to, from + 1)];
}

function isoOf(seconds: number): string {
  return new Date(Math.floor(seconds) * 1000).toISOString();
}
