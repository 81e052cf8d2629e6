import { setTimeout as sleep } from 'node:timers/promises';
import type { AppProcess, PrivateKafkaAndClickHouse } from '#testkit';
import { freshStream, path, type EventPage } from '../api.js';
import { ask, freshName, type SoakContext } from './soak-context.js';

/** A random action of the soak test, of a client or a fault. `run` resolves when the next action may begin. */
export interface SoakAction {
  name: string;
  /** The relative probability that it is chosen. */
  weight: number;
  run(soaked: SoakContext): Promise<void>;
}

const fields = { n: { op: 'count' }, sum: { op: 'sum', value: 'event.data.amount' } };

/** Actions of clients and operators through the API. */
export const uses: readonly SoakAction[] = [
  {
    name: 'query',
    weight: 6,
    run: async (soaked) => {
      const { random, streams } = soaked;
      const stream = random.pick(streams);
      const query = random.pick([
        path('/api/v1/events/query', { stream, limit: '1000', order: random.pick(['asc', 'desc']) }),
        path('/api/v1/events/query', {
          stream,
          where: `event.data.amount > ${random.int(10_000)}.0`,
          limit: '50',
        }),
        path('/api/v1/events/query', { stream, event_type: 'order.paid' }),
        path('/api/v1/events/count', { stream, group_by: 'event_type' }),
        path('/api/v1/events/count', { interval: '1h' }),
        path('/api/v1/entities', { stream }),
        path('/api/v1/dead-letters', { limit: '100' }),
        path('/api/v1/streams', {}),
      ]);
      await ask(soaked, 'GET', query);
    },
  },
  { name: 'change a schema', weight: 2, run: changeSchema },
  { name: 'create a stream and delete it', weight: 3, run: createAndDelete },
  { name: 'define a projection and delete it', weight: 2, run: projectForAWhile },
  { name: 'define a pipeline and delete it', weight: 2, run: pipeForAWhile },
  {
    name: 'follow a live stream for a while',
    weight: 3,
    run: async ({ stack, random, streams, findings }) => {
      const abort = AbortSignal.timeout(500 + random.int(4_000));
      const url = new URL(path('/api/v1/events/stream', { stream: random.pick(streams) }), stack.urls.query);
      try {
        const answer = await fetch(url, { headers: { authorization: `Bearer ${stack.key}` }, signal: abort });
        if (answer.status !== 200 && answer.status < 503)
          findings.push(`unexpected answer: ${url.pathname}: ${answer.status}`);
        await answer.text();
      } catch {
        // The stream ends when its time is over, or when the gateway is killed.
      }
    },
  },
];

async function changeSchema(soaked: SoakContext): Promise<void> {
  const { random, streams } = soaked;
  const optional = Object.fromEntries(
    Array.from({ length: 1 + random.int(5) }, (_, i) => [`optional_${i}`, { type: 'string' }]),
  );
  await ask(soaked, 'POST', '/api/v1/schemas', {
    ...{ stream: random.pick(streams), event_type: random.pick(['order.placed', 'order.paid']) },
    ...{ mode: random.pick(['enforce', 'warn', 'off']), compatibility: 'none' },
    schema: { type: 'object', required: ['amount'], properties: { amount: { type: 'number' }, ...optional } },
  });
}

/** Creates and deletes a stream with a reused name: events of a former stream of that name must not reappear. */
async function createAndDelete(soaked: SoakContext): Promise<void> {
  const { random, findings } = soaked;
  // These names are used by no other action, so no other action deletes the stream meanwhile.
  const stream = `again-${random.seed}-${random.int(3)}`;
  const created = await ask(soaked, 'POST', '/api/v1/streams', { stream, partitions: 2 }, [201, 409]);
  if (created?.status === 201) {
    const mark = freshStream('mark');
    const events = Array.from({ length: 5 }, (_, n) => ({
      ...{ stream, event_type: 't', entity_id: `e${n % 2}`, data: { mark, n } },
    }));
    await ask(soaked, 'POST', '/api/v1/events/batch', { events });
    const read = await ask(soaked, 'GET', path('/api/v1/events/query', { stream, limit: '1000' }));
    for (const { data } of read?.json<EventPage>().events ?? [])
      if (data.mark !== mark)
        findings.push(`phantom: ${stream} shows an event of a former stream of that name`);
  }
  const confirmed = path(`/api/v1/streams/${stream}`, { confirm: stream });
  await ask(soaked, 'DELETE', confirmed, undefined, [200, 202, 204, 404, 409]);
}

async function projectForAWhile(soaked: SoakContext): Promise<void> {
  const { random, streams } = soaked;
  const name = freshName('passing');
  const source = { streams: [random.pick(streams)] };
  if (!(await ask(soaked, 'POST', '/api/v1/projections', { name, source, key: 'event.event_type', fields })))
    return;
  await sleep(random.int(3_000));
  await ask(
    soaked,
    'POST',
    `/api/v1/projections/${name}/${random.pick(['pause', 'reset'])}`,
    undefined,
    [200, 202, 409],
  );
  await remove(soaked, `/api/v1/projections/${name}`);
}

async function pipeForAWhile(soaked: SoakContext): Promise<void> {
  const { random, streams } = soaked;
  const name = freshName('passing');
  const operators = [
    { filter: 'event.data.amount > 5000.0' },
    { window: { tumbling: '10m', key: 'event.event_type', lateness: '1h' } },
    { reduce: fields },
    { emit: { stream: 'passing-output' } },
  ];
  const source = { streams: [random.pick(streams)] };
  if (!(await ask(soaked, 'POST', '/api/v1/pipelines', { name, source, operators }))) return;
  await sleep(random.int(3_000));
  await ask(
    soaked,
    'POST',
    `/api/v1/pipelines/${name}/${random.pick(['pause', 'reset'])}`,
    undefined,
    [200, 202, 409],
  );
  await remove(soaked, `/api/v1/pipelines/${name}`);
}

/** Repeats a deletion until it succeeds. */
async function remove(soaked: SoakContext, what: string): Promise<void> {
  for (let tries = 0; tries < 60; tries++) {
    if (await ask(soaked, 'DELETE', what, undefined, [200, 202, 204, 404])) return;
    await sleep(500);
  }
}

const appOf = ({ stack, random }: SoakContext): AppProcess => random.pick(stack.apps);

/** Faults of the apps. Each action also ends its fault. */
export const appFaults: readonly SoakAction[] = [
  { name: 'kill an app', weight: 4, run: async (soaked) => void (await appOf(soaked).restart('SIGKILL')) },
  { name: 'stop an app', weight: 2, run: async (soaked) => void (await appOf(soaked).restart('SIGTERM')) },
  {
    name: 'freeze an app',
    weight: 3,
    run: async (soaked) => {
      const app = appOf(soaked);
      app.pause();
      await sleep(1_000 + soaked.random.int(10_000));
      app.resume();
    },
  },
];

/** Faults of the engines, and of the network between them and the apps. Each action also ends its fault. */
export function engineFaults(engines: PrivateKafkaAndClickHouse): readonly SoakAction[] {
  const proxyOf = ({ random }: SoakContext) => random.pick([engines.kafkaProxy, engines.clickhouseProxy]);
  const losePower = async (lost: ('kafka' | 'clickhouse')[], { random }: SoakContext): Promise<void> => {
    await engines.losePower(lost, { random, writtenBackMs: random.pick([Infinity, 3_000]) });
    await sleep(random.int(3_000));
    await Promise.all(
      lost.map((engine) => (engine === 'kafka' ? engines.startKafka() : engines.startClickHouse())),
    );
  };
  return [
    {
      name: 'kill Kafka',
      weight: 1,
      run: async ({ random }) => {
        await engines.killKafka();
        await sleep(random.int(3_000));
        await engines.startKafka();
      },
    },
    {
      name: 'freeze Kafka',
      weight: 1,
      run: async ({ random }) => {
        engines.pauseKafka();
        await sleep(1_000 + random.int(8_000));
        engines.resumeKafka();
      },
    },
    {
      name: 'Kafka loses power',
      weight: 1,
      run: (soaked) => losePower(['kafka'], soaked),
    },
    {
      name: 'ClickHouse loses power',
      weight: 1,
      run: (soaked) => losePower(['clickhouse'], soaked),
    },
    {
      name: 'Kafka and ClickHouse lose power',
      weight: 1,
      run: (soaked) => losePower(['kafka', 'clickhouse'], soaked),
    },
    {
      name: 'kill ClickHouse',
      weight: 1,
      run: async ({ random }) => {
        await engines.killClickHouse();
        await sleep(random.int(5_000));
        await engines.startClickHouse();
      },
    },
    { name: 'cut every connection', weight: 2, run: async (soaked) => proxyOf(soaked).cut() },
    {
      name: 'slow the network down',
      weight: 2,
      run: async (soaked) => {
        const proxy = proxyOf(soaked);
        proxy.delay({ up: soaked.random.int(200), down: soaked.random.int(200) });
        await sleep(3_000);
        proxy.delay({});
      },
    },
  ];
}
