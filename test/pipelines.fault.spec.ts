import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDefinitions, systemActor, type Definitions } from '#definitions';
import { openKafkaLog, type Log } from '#log';
import { openClickHouse, type Store } from '#store';
import type { OperatorSpec, PipelineSpec } from '#streaming';
import { clickHouseOf, HttpClient, type Driver } from '#testing';
import { freshStream } from './api.js';
import { sessionMs, underLoad, useFaultySystem } from './faulty-system.js';
import { sql } from './sql.js';

const system = useFaultySystem({ processors: 2 });

let log: Log;
let store: Store;
let definitions: Definitions;

beforeAll(async () => {
  const { stack } = system();
  log = openKafkaLog({ brokers: [stack.brokers], clientId: 'test', replicationFactor: -1 });
  store = openClickHouse(clickHouseOf(stack, stack.database));
  definitions = openDefinitions({ log, names: stack.topics, defaults: { partitions: 4 } });
  await definitions.start();
});

afterAll(async () => {
  await definitions?.close();
  await log?.close();
  await store?.close();
});

interface Piped {
  streams: readonly string[];
  copies: string;
  windows: string;
}

/** What the events that are not the driver's are called. */
const flush = 'flush';

function specOf(streams: readonly string[], operators: OperatorSpec[]): PipelineSpec {
  return {
    source: { streams, where: `event.event_type != "${flush}"`, idle_after: '5s' },
    operators,
    from: 'beginning',
  };
}

const copying = (stream: string): OperatorSpec[] => [{ emit: { stream } }];
/** The driver's events are dated anywhere in one day: nothing of it is late. */
const perHour = (stream: string): OperatorSpec[] => [
  { map: { data: { amount: 'event.data.amount', type: 'event.event_type' } } },
  { window: { tumbling: '1h', key: 'event.data.type', lateness: '2d' } },
  { reduce: { n: { op: 'count' }, sum: { op: 'sum', value: 'event.data.amount' } } },
  { emit: { stream } },
];

/** Defines a pipeline, or gives it another definition in the same run. */
async function define(name: string, spec: PipelineSpec): Promise<void> {
  const sources = Object.fromEntries(
    spec.source.streams.map((stream) => [stream, { created_at: definitions.stream(stream)!.created_at }]),
  );
  const now = new Date().toISOString();
  await definitions.pipelines.change(
    name,
    (current) => ({
      ...{ name, version: (current?.version ?? 0) + 1, created_at: now, paused: false, failure: null, spec },
      run: current?.run ?? { id: randomBytes(12).toString('hex'), started_at: now, sources },
    }),
    systemActor,
  );
}

/** Begins anew, in another run. */
async function reset(name: string): Promise<void> {
  const id = randomBytes(12).toString('hex');
  await definitions.pipelines.change(name, (one) => one && { ...one, run: { ...one.run, id } }, systemActor);
}

/** Has events go through two pipelines while something breaks, and checks the streams that they write. */
async function pipedUnderLoad(fault: (driver: Driver, piped: Piped) => Promise<void>): Promise<void> {
  const { stack } = system();
  const piped = {
    streams: [freshStream('load'), freshStream('load')],
    ...{ copies: freshStream('copies'), windows: freshStream('windows') },
  };
  const { streams, copies, windows } = piped;
  for (const stream of [...streams, copies, windows]) await definitions.createStream({ stream }, systemActor);
  await define(copies, specOf(streams, copying(copies)));
  await define(windows, specOf(streams, perHour(windows)));
  await underLoad(stack, (driver) => fault(driver, piped), { streams });
  await closeWindows(streams);
  await vi.waitFor(() => expectRight(piped), { timeout: 150_000, interval: 1000 });
  // What is repeated comes late.
  await sleep(1000);
  await expectRight(piped);
  for (const name of [copies, windows])
    await definitions.pipelines.change(name, () => undefined, systemActor);
}

/** Events of today in every partition: the watermark is past all that the driver has written. */
async function closeWindows(streams: readonly string[]): Promise<void> {
  const client = new HttpClient(system().stack.urls.ingest);
  for (const stream of streams) {
    const events = Array.from({ length: 60 }, (_, i) => ({
      ...{ stream, event_type: flush, entity_id: `flush-${i}`, data: {} },
    }));
    const { status } = await client.post('/api/v1/events/batch', { events });
    expect(status).toBeLessThan(300);
  }
  await client.close();
}

async function rowsOf(query: string): Promise<string[][]> {
  const text = await sql(system().stack, `${query} FORMAT JSONCompactEachRow`);
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as unknown[]).map(String));
}

function sourcesIn(streams: readonly string[]): string {
  return `stream IN (${streams.map((stream) => `'${stream}'`).join()}) AND event_type != '${flush}'`;
}

/** What the driver has written. */
async function idsWritten(streams: readonly string[]): Promise<string[]> {
  const { database } = system().stack;
  return (await rowsOf(`SELECT event_id FROM ${database}.events FINAL WHERE ${sourcesIn(streams)}`)).flat();
}

/** No event lost, duplicate or phantom; each window is what ClickHouse makes of the stored events; all is counted. */
async function expectRight({ streams, copies, windows }: Piped): Promise<void> {
  const events = `${system().stack.database}.events FINAL`;
  const sources = sourcesIn(streams);
  const written = new Set(await idsWritten(streams));
  // Its own reader of JSON refuses the numbers of thirty digits that are in there as well.
  const copied = (
    await rowsOf(
      `SELECT extract(metadata, '"source_event_id":"([^"]+)"') FROM ${events} WHERE stream = '${copies}'`,
    )
  ).flat();
  expect({
    lost: [...written].filter((id) => !copied.includes(id)),
    duplicate: copied.length - new Set(copied).size,
    phantom: copied.filter((id) => !written.has(id)),
  }).toEqual({ lost: [], duplicate: 0, phantom: [] });

  const found = await rowsOf(
    `SELECT JSONExtractString(data, 'key'), toUnixTimestamp(toStartOfHour(timestamp)), toUInt64(JSONExtractInt(data, 'n')),
       toDecimal64(extract(data, '"sum":([0-9.]+)'), 2)
     FROM ${events} WHERE stream = '${windows}' ORDER BY 1, 2, 3`,
  );
  const expected = await rowsOf(
    `SELECT event_type, toUnixTimestamp(toStartOfHour(timestamp)), count(),
       sum(toDecimal64(extract(data, '"amount":([0-9.]+)'), 2))
     FROM ${events} WHERE ${sources} GROUP BY 1, 2 ORDER BY 1, 2, 3`,
  );
  const numbers = (rows: string[][]) =>
    rows.map(([key, start, n, sum]) => [key, start, n, Number(sum).toFixed(2)]);
  expect(numbers(found)).toEqual(numbers(expected));
  expect(found.length).toBeGreaterThan(20);
  expect(await countedOf(copies)).toEqual(counted(written.size, written.size));
  expect(await countedOf(windows)).toEqual(counted(written.size, found.length));
}

const counted = (processed: number, emitted: number) => ({
  processed,
  emitted,
  dropped: 0,
  late: 0,
  failed: 0,
});

async function countedOf(name: string): Promise<ReturnType<typeof counted>> {
  const total = counted(0, 0);
  for (const row of await store.pipelines.progress([definitions.pipelines.get(name)!.run.id]))
    for (const key of Object.keys(total) as (keyof typeof total)[]) total[key] += row[key];
  return total;
}

describe('given two processors that run pipelines under load', () => {
  it('when they are killed again and again, nothing is lost, repeated or counted twice (fault 12)', async () => {
    const { stack } = system();
    await pipedUnderLoad(async (driver) => {
      for (let i = 0; i < 3; i++) {
        await driver.untilAcknowledged(100);
        await stack.processors[i % 2]!.restart('SIGKILL');
      }
    });
  });

  it('when one is paused past its session and comes back as a zombie, it changes nothing (fault 5)', async () => {
    const [first] = system().stack.processors;
    await pipedUnderLoad(async (driver) => {
      await driver.untilAcknowledged(200);
      first!.pause();
      await sleep(sessionMs + 5_000);
      await driver.untilAcknowledged(100);
      first!.resume();
      await driver.untilAcknowledged(200);
    });
  });

  it('when one leaves and comes back, the answers are the same (fault 6)', async () => {
    const [first] = system().stack.processors;
    await pipedUnderLoad(async (driver) => {
      await driver.untilAcknowledged(200);
      expect(await first!.kill('SIGTERM')).toEqual({ code: 0, signal: null });
      await driver.untilAcknowledged(400);
      await first!.launch().ready();
    });
  });

  it('when the broker is paused for a while, and ClickHouse is killed, they go on (faults 7, 10)', async () => {
    const { engines } = system();
    await pipedUnderLoad(async (driver) => {
      engines.pauseKafka();
      await sleep(12_000);
      engines.resumeKafka();
      await driver.untilAcknowledged(200);
      await engines.killClickHouse();
      await sleep(2_000);
      await engines.startClickHouse();
    });
  });

  it('when they are paused, changed, resumed and reset while events flow, and killed at it, they go on where they stood (faults 12, 13)', async () => {
    const [first, second] = system().stack.processors;
    const again = freshStream('again');
    await definitions.createStream({ stream: again }, systemActor);
    let streams: readonly string[] = [];
    await pipedUnderLoad(async (driver, { copies, windows, ...piped }) => {
      ({ streams } = piped);
      await define(again, specOf(streams, copying(again)));
      for (const name of [copies, windows]) {
        await definitions.pipelines.change(name, (one) => one && { ...one, paused: true }, systemActor);
        await first!.restart('SIGKILL');
        await driver.untilAcknowledged(200);
      }
      // An emit that has moved would make other ids of what is repeated.
      await define(copies, specOf(streams, [...copying(copies), { filter: 'true' }]));
      await define(windows, specOf(streams, [...perHour(windows), { filter: 'true' }]));
      await reset(again);
      await second!.restart('SIGKILL');
      await driver.untilAcknowledged(200);
      await define(windows, specOf(streams, perHour(windows)));
      await Promise.all([first!.restart('SIGKILL'), second!.restart('SIGKILL')]);
    });
    const { length } = await idsWritten(streams);
    await vi.waitFor(async () => expect(await countedOf(again)).toEqual(counted(length, length)), {
      timeout: 60_000,
      interval: 1000,
    });
    await definitions.pipelines.change(again, () => undefined, systemActor);
  });
});
