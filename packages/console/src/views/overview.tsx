import type { Health } from '#client';
import { useResource } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client } from '../app/session.js';
import { duration, grouped, short } from '../logic/format.js';
import { healthPoints, type Point } from '../logic/health-points.js';
import { tributary, type Call } from '../logic/shell.js';
import { Card, Page } from '../parts/page.js';
import { Loaded } from '../parts/states.js';
import { Count, type Fact, Facts, Link, Status, titleOf } from '../parts/values.js';
import { Tile, type TileStats } from './overview-tile.js';

const hour = 3_600;
const everyMs = 10_000;

const perMinuteCommand = tributary('count', [], { every: '1m', time: 'ingested_at' });
const calls: Call[] = [
  ['/health', undefined, tributary('doctor', [])],
  ['/api/v1/health-history'],
  ['/api/v1/events/count', { interval: '1m', time: 'ingested_at' }, perMinuteCommand],
  ['/api/v1/dead-letters', undefined, tributary('dead-letters list', [])],
  ['/api/v1/pipelines', undefined, tributary('lag', [])],
];

/** The state of the system in six numbers, each with its last hour. */
export function Overview() {
  const rate = useResource(ratesOfLastHour, [], { everyMs });
  const health = useResource((signal) => client.value.health(undefined, { signal }), [], { everyMs });
  const history = useResource(readHistory, [], { everyMs: 30_000 });
  const letters = useResource(lettersOfLastHour, [], { everyMs });
  const jobs = useResource(readJobs, [], { everyMs });
  const now = Date.now() / 1000;
  const range = [now - hour, now] as const;
  const { materializer, processor } = (health.data?.checks ?? {}) as Record<string, Check | undefined>;
  const { freshness, materializer: unread, processor: unprocessed } = history.data ?? {};
  const lags = [
    ['Freshness of queries', 'streams', materializer, 'lag_seconds', freshness],
    ['Materializer lag', 'streams', materializer, 'lag_events', unread],
    ['Processor lag', 'projections', processor, 'lag_events', unprocessed],
  ] as const;
  const upToNow = (points: readonly Point[] = [], value?: number) =>
    value === undefined ? points : [...points, [now, value] as const];
  return (
    <Page title="Overview" calls={calls}>
      <ul class="tiles">
        <Tile
          title="Ingested events per second"
          href={hrefOf(['streams'])}
          of={rate}
          stats={rate.data?.stats}
          points={rate.data?.points}
        />
        {lags.map(([title, section, check, name, points]) => (
          <Tile
            key={title}
            title={title}
            href={hrefOf([section])}
            of={health}
            stats={health.data && lagStats(check, name)}
            range={range}
            points={upToNow(points, check?.[name])}
            format={name === 'lag_seconds' ? duration : short}
          />
        ))}
        <Tile
          title="Dead letters"
          href={hrefOf(['dead-letters'])}
          of={letters}
          stats={letters.data?.stats}
          points={letters.data?.points}
        />
        <Tile
          title="Failed jobs"
          href={hrefOf([jobs.data?.failedPipelines ? 'pipelines' : 'projections'])}
          of={jobs}
          stats={jobs.data?.stats}
          range={range}
          points={history.data?.failedJobs}
        />
      </ul>
      <BusiestStreams />
      {health.data && <HealthChecks health={health.data} />}
    </Page>
  );
}

async function readHistory(signal: AbortSignal) {
  return healthPoints(await client.value.healthHistory({ signal }));
}

/** Returns the start of the current minute, in seconds. */
function currentMinute(): number {
  return Math.floor(Date.now() / 60_000) * 60;
}

/** Returns the counts of an hour's minutes, by the starts of the minutes in seconds. */
function perMinute(counts: ReadonlyMap<number, number>, first: number): [seconds: number, count: number][] {
  return Array.from({ length: 60 }, (_, i) => [first + i * 60, counts.get(first + i * 60) ?? 0]);
}

async function ratesOfLastHour(signal: AbortSignal) {
  const until = currentMinute();
  const since = until - hour;
  const times = { since: new Date(since * 1000), until: new Date(until * 1000) };
  const query = { ...times, interval: '1m', time: 'ingested_at' } as const;
  const { buckets, total } = await client.value.count(query, { signal });
  const counts = new Map(buckets.map(({ start, count }) => [Date.parse(start!) / 1000, count]));
  const points = perMinute(counts, since).map(([start, count]): Point => [start, count / 60]);
  const note = `${grouped(total)} events ingested in the last hour`;
  return { points, stats: { value: short(points.at(-1)![1]), note } };
}

async function lettersOfLastHour(signal: AbortSignal) {
  const since = new Date(Date.now() - hour * 1000);
  const letters = client.value.deadLetters.list({ since, limit: 1000 }, { signal });
  const { items, has_more: hasMore } = await letters.first();
  const counts = new Map<number, number>();
  for (const { created_at } of items) {
    const minute = Math.floor(Date.parse(created_at) / 60_000) * 60;
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  const value = `${items.length}${hasMore ? '+' : ''}`;
  const stats: TileStats = { value, note: 'in the last hour', tone: items.length > 0 ? 'warn' : 'good' };
  return { stats, points: perMinute(counts, currentMinute() - hour + 60) };
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
  const note = `of ${total} projections and pipelines`;
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

/** The streams into which the most events were ingested in the last hour. */
function BusiestStreams() {
  const streams = useResource(busiest, [], { everyMs });
  if (streams.data?.length === 0) return null;
  return (
    <Card label="Busiest streams" title="Busiest streams of the last hour, by ingested events">
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

async function busiest(signal: AbortSignal): Promise<{ stream: string; count: number }[]> {
  const now = Date.now();
  const times = { since: new Date(now - hour * 1000), until: new Date(now) };
  const query = { ...times, group_by: 'stream', time: 'ingested_at' } as const;
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
