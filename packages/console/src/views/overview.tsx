import type { Health } from '#client';
import { useResource } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client } from '../app/session.js';
import { useTimeRange, type TimeDefaults, type ViewTimes } from '../app/time-range.js';
import { duration, grouped, short } from '../logic/format.js';
import { healthPoints, type Point } from '../logic/health-points.js';
import { intervalFor, intervalText } from '../logic/histogram.js';
import { tributary, type Call } from '../logic/shell.js';
import { requestTimes, type TimeBounds } from '../logic/time-range.js';
import { Card, Page } from '../parts/page.js';
import { RangeBar } from '../parts/range-bar.js';
import { Loaded } from '../parts/states.js';
import { Count, type Fact, Facts, Link, Status, titleOf } from '../parts/values.js';
import { Tile, type TileStats } from './overview-tile.js';

/** The gateway keeps the history of its health for this time. */
const historySeconds = 3_600;
const byDefault: TimeDefaults = { range: '1h', refresh: '15s', hasAll: false };

/** The state of the system in six numbers, each over a range of time. */
export function Overview() {
  const times = useTimeRange(byDefault);
  const { range, bounds, asOf, isValid } = times;
  const now = asOf / 1000;
  const shown = secondsOf(bounds, now);
  const options = { asOf, skip: !isValid };
  const rate = useResource((signal) => ratesIn(shown, signal), [range], options);
  const health = useResource((signal) => client.value.health(undefined, { signal }), [], options);
  const history = useResource(readHistory, [], options);
  const letters = useResource((signal) => lettersIn(shown, signal), [range], options);
  const jobs = useResource(readJobs, [], options);
  const { materializer, processor } = (health.data?.checks ?? {}) as Record<string, Check | undefined>;
  const { freshness, materializer: unread, processor: unprocessed } = history.data ?? {};
  const lags = [
    ['Freshness of queries', 'streams', materializer, 'lag_seconds', freshness],
    ['Materializer lag', 'streams', materializer, 'lag_events', unread],
    ['Processor lag', 'projections', processor, 'lag_events', unprocessed],
  ] as const;
  const inHistory = historyPart(shown, now);
  const upToNow = (points: readonly Point[] = [], value?: number) =>
    value === undefined ? points : [...points, [now, value] as const];
  const inRange = requestTimes(range, asOf);
  const interval = intervalText(sparkInterval(shown));
  const query = { ...inRange, interval, time: 'ingested_at' };
  const counted = { ...inRange, every: interval, time: 'ingested_at' };
  const calls: Call[] = [
    ['/health', undefined, tributary('doctor', [])],
    ['/api/v1/health-history'],
    ['/api/v1/events/count', query, tributary('count', [], counted)],
    ['/api/v1/dead-letters', inRange, tributary('dead-letters list', [], inRange)],
    ['/api/v1/pipelines', undefined, tributary('lag', [])],
  ];
  return (
    <Page title="Overview" calls={calls}>
      <RangeBar times={times} />
      {isValid && (
        <>
          <ul class="tiles">
            <Tile
              title="Ingested events per second"
              href={hrefOf(['streams'])}
              of={rate}
              stats={rate.data?.stats}
              now={now}
              range={shown}
              points={rate.data?.points}
            />
            {lags.map(([title, section, check, name, points]) => (
              <Tile
                key={title}
                title={title}
                href={hrefOf([section])}
                of={health}
                stats={health.data && lagStats(check, name)}
                now={now}
                range={inHistory}
                isMeasured
                points={upToNow(points, check?.[name])}
                format={name === 'lag_seconds' ? duration : short}
              />
            ))}
            <Tile
              title="Dead letters"
              href={hrefOf(['dead-letters'])}
              of={letters}
              stats={letters.data?.stats}
              now={now}
              range={shown}
              points={letters.data?.points}
            />
            <Tile
              title="Failed jobs"
              href={hrefOf([jobs.data?.failedPipelines ? 'pipelines' : 'projections'])}
              of={jobs}
              stats={jobs.data?.stats}
              now={now}
              range={inHistory}
              isMeasured
              points={history.data?.failedJobs}
            />
          </ul>
          <BusiestStreams times={times} />
        </>
      )}
      {health.data && <HealthChecks health={health.data} />}
    </Page>
  );
}

async function readHistory(signal: AbortSignal) {
  return healthPoints(await client.value.healthHistory({ signal }));
}

type Range = readonly [from: number, to: number];

/** Returns bounds in seconds; without a start, the hour before the end. */
function secondsOf({ since, until }: TimeBounds, now: number): Range {
  const to = until === undefined ? now : Date.parse(until) / 1000;
  return [since === undefined ? Math.min(to, now) - 3_600 : Date.parse(since) / 1000, to];
}

/** Returns the part of a range for which there can be a history; its whole time if there is none in the range. */
function historyPart([from, to]: Range, now: number): Range {
  const first = now - historySeconds;
  return to <= first ? [first, now] : [Math.max(from, first), Math.min(to, now)];
}

function timesOf([from, to]: Range) {
  return { since: new Date(from * 1000), until: new Date(to * 1000) };
}

function sparkInterval([from, to]: Range): number {
  return intervalFor(to - from);
}

/** Returns the whole intervals of a range; the last one has ended. */
function endedIntervals(range: Range): { from: number; to: number; interval: number } {
  const interval = sparkInterval(range);
  const to = Math.floor(range[1] / interval) * interval;
  return { from: Math.min(to - interval, Math.ceil(range[0] / interval) * interval), to, interval };
}

/** Returns a point for each interval. */
function pointsOf(
  counts: ReadonlyMap<number, number>,
  { from, to, interval }: ReturnType<typeof endedIntervals>,
): Point[] {
  const length = Math.round((to - from) / interval);
  return Array.from({ length }, (_, i) => [from + i * interval, counts.get(from + i * interval) ?? 0]);
}

async function ratesIn(range: Range, signal: AbortSignal) {
  const ended = endedIntervals(range);
  const { interval } = ended;
  const query = { ...timesOf(range), interval: intervalText(interval), time: 'ingested_at' } as const;
  const { buckets, total } = await client.value.count(query, { signal });
  const counts = new Map(buckets.map(({ start, count }) => [Date.parse(start!) / 1000, count / interval]));
  const points = pointsOf(counts, ended);
  const note = `in the last ${duration(interval)} · ${grouped(total)} events in the range`;
  return { points, stats: { value: short(points.at(-1)![1]), note } };
}

async function lettersIn(range: Range, signal: AbortSignal) {
  const letters = client.value.deadLetters.list({ ...timesOf(range), limit: 1000 }, { signal });
  const { items, has_more: hasMore } = await letters.first();
  const interval = sparkInterval(range);
  const counts = new Map<number, number>();
  for (const { created_at } of items) {
    const start = Math.floor(Date.parse(created_at) / 1000 / interval) * interval;
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  const value = `${items.length}${hasMore ? '+' : ''}`;
  const note = hasMore ? 'in the range; the chart shows the newest' : 'in the range';
  const stats: TileStats = { value, note, tone: items.length > 0 ? 'warn' : 'good' };
  const [from, to] = range.map((time) => Math.floor(time / interval) * interval);
  return { stats, points: pointsOf(counts, { from: from!, to: to! + interval, interval }) };
}

async function readJobs(signal: AbortSignal) {
  const [projections, pipelines] = await Promise.all([
    client.value.projections.list({ limit: 1000 }, { signal }).first(),
    client.value.pipelines.list({ limit: 1000 }, { signal }).first(),
  ]);
  const failedOf = (items: readonly { status: string }[]) =>
    items.filter(({ status }) => status === 'failed').length;
  const failedPipelines = failedOf(pipelines.items);
  const failed = failedOf(projections.items) + failedPipelines;
  const total = projections.items.length + pipelines.items.length;
  const note = total === 0 ? 'no definitions yet' : `of ${total} projections and pipelines`;
  const stats: TileStats = { value: String(failed), note, tone: failed > 0 ? 'bad' : 'good' };
  return { stats, failedPipelines };
}

function lagStats(check: Check | undefined, name: 'lag_seconds' | 'lag_events'): TileStats {
  const value = check?.[name];
  if (value === undefined) return { value: '–', note: check?.error ?? 'not reported' };
  const tone = (check?.lag_seconds ?? 0) > 60 ? 'bad' : 'good';
  if (name === 'lag_seconds') return { value: duration(value), note: 'behind the log', tone };
  return { value: short(value), note: 'unread events', tone };
}

/** The streams into which the most events were ingested in the range. */
function BusiestStreams({ times: { range, bounds, asOf, isValid } }: { times: ViewTimes }) {
  const shown = secondsOf(bounds, asOf / 1000);
  const options = { asOf, skip: !isValid };
  const streams = useResource((signal) => busiest(shown, signal), [range], options);
  if (streams.data?.length === 0) return null;
  return (
    <Card label="Busiest streams" title="Busiest streams of the range, by ingested events">
      <Loaded of={streams}>
        {(items) => (
          <ul class="ranking">
            {items.map(({ stream, count }) => (
              <li key={stream}>
                <Link href={hrefOf(['streams', stream])} text={stream} />
                <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
                  <rect width={(100 * count) / items[0]!.count} height="1" />
                </svg>
                <Count value={count} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Card>
  );
}

async function busiest(range: Range, signal: AbortSignal): Promise<{ stream: string; count: number }[]> {
  const query = { ...timesOf(range), group_by: 'stream', time: 'ingested_at' } as const;
  const { buckets } = await client.value.count(query, { signal });
  const streams = buckets.map(({ group, count }) => ({ stream: group ?? '', count }));
  return streams.sort((a, b) => b.count - a.count).slice(0, 6);
}

/** One check of `/health`, with the lag of the materializer or of the processors. */
interface Check {
  status?: string;
  error?: string;
  lag_events?: number;
  lag_seconds?: number;
}

/** Names of the checks that say more than their keys in the answer. */
const names: Record<string, string> = {
  log: 'Kafka',
  store: 'ClickHouse',
  log_or_store: 'Kafka or ClickHouse',
  definitions_age: 'Age of definitions',
};

/** The result of each check of the gateway's health. */
function HealthChecks({ health }: { health: Health }) {
  return (
    <Card title="Health" beside={<Status value={health.status} />}>
      <Facts of={Object.entries(health.checks as Record<string, Check>).map(factOf)} isRow />
    </Card>
  );
}

function factOf([key, { status = 'unknown', error }]: [string, Check]): Fact {
  const shown = (
    <>
      <Status value={status} /> {error && <span class="small">{error}</span>}
    </>
  );
  return [names[key] ?? titleOf(key), shown];
}
