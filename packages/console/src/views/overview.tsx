import type { DeadLetter } from '#client';
import { useResource } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { client } from '../app/session.js';
import { duration, grouped, short } from '../logic/format.js';
import { healthPoints, type Point } from '../logic/health-points.js';
import { tributary } from '../logic/shell.js';
import { Page } from '../parts/page.js';
import { BusiestStreams } from './busiest-streams.js';
import { HealthChecks, type Check } from './health-checks.js';
import { Tile, type Figure } from './overview-tile.js';

const hour = 3_600;
const everyMs = 10_000;
/** The history has a new sample each 15 seconds. */
const historyEveryMs = 30_000;

const calls = [
  { path: '/health', command: tributary('doctor', []) },
  { path: '/api/v1/health-history' },
  {
    path: '/api/v1/events/count',
    query: { interval: '1m', time: 'ingested_at' },
    command: tributary('count', [], { every: '1m', time: 'ingested_at' }),
  },
  { path: '/api/v1/dead-letters', command: tributary('dead-letters list', []) },
  { path: '/api/v1/pipelines', command: tributary('lag', []) },
];

/** The state of the system in six numbers, each with its last hour. */
export function Overview() {
  const rate = useResource(ratesOfLastHour, [], { everyMs });
  const health = useResource((signal) => client.value.health(undefined, { signal }), [], { everyMs });
  const history = useResource(readHistory, [], { everyMs: historyEveryMs });
  const letters = useResource(lettersOfLastHour, [], { everyMs });
  const jobs = useResource(readJobs, [], { everyMs });
  const now = Date.now() / 1000;
  const range = [now - hour, now] as const;
  const { materializer, processor } = (health.data?.checks ?? {}) as Record<string, Check | undefined>;
  const upToNow = (points: readonly Point[] = [], value?: number) =>
    value === undefined ? points : [...points, [now, value] as const];
  return (
    <Page title="Overview" calls={calls}>
      <ul class="tiles">
        <Tile
          title="Ingested events per second"
          href={hrefOf(['streams'])}
          of={rate}
          range={extent(rate.data?.points, range)}
          points={rate.data?.points}
        >
          {({ last, total }) => ({
            value: short(last),
            note: `${grouped(total)} events ingested in the last hour`,
          })}
        </Tile>
        <Tile
          title="Freshness of queries"
          href={hrefOf(['streams'])}
          of={health}
          range={range}
          points={upToNow(history.data?.freshness, materializer?.lag_seconds)}
          format={duration}
        >
          {() => lagSeconds(materializer)}
        </Tile>
        <Tile
          title="Materializer lag"
          href={hrefOf(['streams'])}
          of={health}
          range={range}
          points={upToNow(history.data?.materializer, materializer?.lag_events)}
        >
          {() => lagEvents(materializer)}
        </Tile>
        <Tile
          title="Processor lag"
          href={hrefOf(['projections'])}
          of={health}
          range={range}
          points={upToNow(history.data?.processor, processor?.lag_events)}
        >
          {() => lagEvents(processor)}
        </Tile>
        <Tile
          title="Dead letters"
          href={hrefOf(['dead-letters'])}
          of={letters}
          range={extent(letters.data?.points, range)}
          points={letters.data?.points}
        >
          {({ count, hasMore }) => ({
            ...{ value: `${count}${hasMore ? '+' : ''}`, note: 'in the last hour' },
            tone: count > 0 ? 'warn' : 'good',
          })}
        </Tile>
        <Tile
          title="Failed jobs"
          href={hrefOf([jobs.data?.failedPipelines ? 'pipelines' : 'projections'])}
          of={jobs}
          range={range}
          points={history.data?.failedJobs}
        >
          {({ failed, total }) => ({
            ...{ value: String(failed), note: `of ${total} projections and pipelines` },
            tone: failed > 0 ? 'bad' : 'good',
          })}
        </Tile>
      </ul>
      <BusiestStreams everyMs={everyMs} />
      {health.data && <HealthChecks health={health.data} />}
    </Page>
  );
}

/** Returns the range of points that fill their chart; `range` while there are none. */
function extent(points: readonly Point[] | undefined, range: readonly [number, number]) {
  return points?.length ? ([points[0]![0], points.at(-1)![0]] as const) : range;
}

async function readHistory(signal: AbortSignal) {
  return healthPoints(await client.value.healthHistory({ signal }));
}

async function ratesOfLastHour(signal: AbortSignal) {
  const minute = 60_000;
  const until = Math.floor(Date.now() / minute) * minute;
  const since = until - hour * 1000;
  const times = { since: new Date(since), until: new Date(until) };
  const { buckets, total } = await client.value.count(
    { ...times, interval: '1m', time: 'ingested_at' },
    { signal },
  );
  const counts = new Map(buckets.map(({ start, count }) => [Date.parse(start!), count]));
  const points = Array.from({ length: 60 }, (_, i): Point => {
    const start = since + i * minute;
    return [start / 1000, (counts.get(start) ?? 0) / 60];
  });
  return { points, total, last: points.at(-1)![1] };
}

async function lettersOfLastHour(signal: AbortSignal) {
  const since = new Date(Date.now() - hour * 1000);
  const { items, has_more: hasMore } = await client.value.deadLetters
    .list({ since, limit: 1000 }, { signal })
    .first();
  return { count: items.length, hasMore, points: perMinute(items) };
}

function perMinute(letters: readonly DeadLetter[]): Point[] {
  const counts = new Map<number, number>();
  for (const { created_at } of letters) {
    const minute = Math.floor(Date.parse(created_at) / 60_000) * 60;
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
  }
  const last = Math.floor(Date.now() / 60_000) * 60;
  return Array.from({ length: 60 }, (_, i) => {
    const minute = last - (59 - i) * 60;
    return [minute, counts.get(minute) ?? 0];
  });
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
  return { failed, failedPipelines, total: projections.items.length + pipelines.items.length };
}

function lagSeconds(check: Check | undefined): Figure {
  if (check?.lag_seconds === undefined) return { value: '–', note: check?.error ?? 'not reported' };
  return {
    value: duration(check.lag_seconds),
    note: 'behind the log',
    tone: check.lag_seconds > 60 ? 'bad' : 'good',
  };
}

function lagEvents(check: Check | undefined): Figure {
  if (check?.lag_events === undefined) return { value: '–', note: check?.error ?? 'not reported' };
  return {
    value: short(check.lag_events),
    note: 'unread events',
    tone: (check.lag_seconds ?? 0) > 60 ? 'bad' : 'good',
  };
}
