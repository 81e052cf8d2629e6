import type { ComponentChildren } from 'preact';
import type { DeadLetter, Health } from '#client';
import { useResource, type Resource } from '../app/resource.js';
import { hrefOf } from '../app/router.js';
import { addSample, samples, type Point } from '../app/samples.js';
import { client } from '../app/session.js';
import { duration, grouped, short } from '../logic/format.js';
import { tributary } from '../logic/shell.js';
import { Page } from '../parts/page.js';
import { Problem } from '../parts/problem.js';
import { Sparkline } from '../parts/sparkline.js';
import { Status } from '../parts/values.js';
import { BusiestStreams } from './busiest-streams.js';

const hour = 3_600;
const everyMs = 10_000;

interface Check {
  status?: string;
  error?: string;
  lag_events?: number;
  lag_seconds?: number;
}

const calls = [
  { path: '/health', command: tributary('doctor', []) },
  {
    path: '/api/v1/events/count',
    query: { interval: '1m' },
    command: tributary('count', [], { every: '1m' }),
  },
  { path: '/api/v1/dead-letters', command: tributary('dead-letters list', []) },
  { path: '/api/v1/pipelines', command: tributary('lag', []) },
];

/** The state of the system in six numbers, each with its last hour. */
export function Overview() {
  const rate = useResource(ratesOfLastHour, [], { everyMs });
  const health = useResource(readHealth, [], { everyMs });
  const letters = useResource(lettersOfLastHour, [], { everyMs });
  const jobs = useResource(readJobs, [], { everyMs });
  const now = Date.now() / 1000;
  const range = [now - hour, now] as const;
  const checks = (health.data?.checks ?? {}) as Record<string, Check>;
  return (
    <Page title="Overview" calls={calls}>
      <ul class="tiles">
        <Tile
          title="Events per second"
          href={hrefOf(['streams'])}
          of={rate}
          range={range}
          points={rate.data?.points}
        >
          {({ last }) => ({ value: short(last), note: `${grouped(rate.data!.total)} in the last hour` })}
        </Tile>
        <Tile
          title="Freshness of queries"
          href={hrefOf(['streams'])}
          of={health}
          range={range}
          points={samples.value.get('freshness')}
        >
          {() => lagSeconds(checks['materializer'])}
        </Tile>
        <Tile
          title="Materializer lag"
          href={hrefOf(['streams'])}
          of={health}
          range={range}
          points={samples.value.get('materializer')}
        >
          {() => lagEvents(checks['materializer'])}
        </Tile>
        <Tile
          title="Processor lag"
          href={hrefOf(['pipelines'])}
          of={health}
          range={range}
          points={samples.value.get('processor')}
        >
          {() => lagEvents(checks['processor'])}
        </Tile>
        <Tile
          title="Dead letters"
          href={hrefOf(['dead-letters'])}
          of={letters}
          range={range}
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
          points={samples.value.get('failed jobs')}
        >
          {({ failed, total }) => ({
            ...{ value: String(failed), note: `of ${total} projections and pipelines` },
            tone: failed > 0 ? 'bad' : 'good',
          })}
        </Tile>
      </ul>
      <BusiestStreams everyMs={everyMs} />
      <Checks health={health} />
    </Page>
  );
}

interface Shown {
  value: string;
  note?: string;
  tone?: string;
}

interface TileProps<T> {
  title: string;
  href: string;
  of: Resource<T>;
  range: readonly [number, number];
  points?: readonly Point[];
  children: (data: T) => Shown;
}

function Tile<T>({ title, href, of, range, points = [], children }: TileProps<T>) {
  const shown: Shown = of.data === undefined ? { value: '–' } : children(of.data);
  return (
    <li class={`tile ${shown.tone ?? ''}`}>
      <a href={href}>
        <h2>{title}</h2>
        <p class="tile-value">{shown.value}</p>
        <p class="muted small">
          {shown.note ?? (of.data === undefined && of.error === undefined ? 'loading' : '')}
        </p>
      </a>
      {of.error !== undefined ? (
        <Problem error={of.error} />
      ) : (
        <Sparkline points={points} range={range} label={`${title} over the last hour`} />
      )}
    </li>
  );
}

function Checks({ health }: { health: Resource<Health> }): ComponentChildren {
  if (!health.data) return null;
  const checks = Object.entries(health.data.checks as Record<string, Check>);
  return (
    <section class="card" aria-label="Health">
      <div class="card-head">
        <h2>Health</h2>
        <Status value={health.data.status} />
      </div>
      <dl class="facts row">
        {checks.map(([name, { status = 'unknown', error }]) => (
          <div key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>
              <Status value={status} /> {error && <span class="small">{error}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p class="muted small">Charts of lag and freshness begin when this page is opened.</p>
    </section>
  );
}

async function ratesOfLastHour(signal: AbortSignal) {
  const minute = 60_000;
  const until = Math.floor(Date.now() / minute) * minute;
  const since = until - hour * 1000;
  const times = { since: new Date(since), until: new Date(until) };
  const { buckets, total } = await client.value.count({ ...times, interval: '1m' }, { signal });
  const counts = new Map(buckets.map(({ start, count }) => [Date.parse(start!), count]));
  const points = Array.from({ length: 60 }, (_, i): Point => {
    const start = since + i * minute;
    return [start / 1000, (counts.get(start) ?? 0) / 60];
  });
  return { points, total, last: points.at(-1)![1] };
}

async function readHealth(signal: AbortSignal): Promise<Health> {
  const health = await client.value.health(undefined, { signal });
  const { materializer, processor } = health.checks as Record<string, Check | undefined>;
  if (materializer?.lag_seconds !== undefined) addSample('freshness', materializer.lag_seconds);
  if (materializer?.lag_events !== undefined) addSample('materializer', materializer.lag_events);
  if (processor?.lag_events !== undefined) addSample('processor', processor.lag_events);
  return health;
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
  addSample('failed jobs', failed);
  return { failed, failedPipelines, total: projections.items.length + pipelines.items.length };
}

function lagSeconds(check: Check | undefined): Shown {
  if (check?.lag_seconds === undefined) return { value: '–', note: check?.error ?? 'not reported' };
  return {
    value: duration(check.lag_seconds),
    note: 'behind the log',
    tone: check.lag_seconds > 60 ? 'bad' : 'good',
  };
}

function lagEvents(check: Check | undefined): Shown {
  if (check?.lag_events === undefined) return { value: '–', note: check?.error ?? 'not reported' };
  return {
    value: short(check.lag_events),
    note: 'unread events',
    tone: (check.lag_seconds ?? 0) > 60 ? 'bad' : 'good',
  };
}
