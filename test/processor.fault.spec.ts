import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { allStreams } from '#contracts';
import { openDefinitions, systemActor, type Definitions, type ProjectionBuild } from '#definitions';
import { openKafkaLog, type Log } from '#log';
import { openClickHouse, type Store } from '#store';
import { compileFold, type FoldState } from '#streaming';
import { clickHouseOf, kafkaRequest, testsAll, type Driver } from '#testing';
import { freshStream } from './api.js';
import { sessionMs, underLoad, useFaultySystem } from './faulty-system.js';
import { sql } from './sql.js';

const system = useFaultySystem({ processors: 2 });
/** Key of this request in Kafka's protocol. */
const offsetCommit = 8;

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

interface Defined {
  name: string;
  build: ProjectionBuild;
}

const fields = { n: { op: 'count' }, sum: { op: 'sum', value: 'event.data.amount' } };
const keys = {
  entity_id: '(event.entity_id == null ? "" : event.entity_id) + "."',
  event_type: 'event.event_type + "."',
};
type By = keyof typeof keys;
/** Versions between two snapshots of an entity. */
const snapshotEvery = 5;

/** Defines a projection, or has it built anew. */
async function define(name: string, by: By, streams: readonly string[]): Promise<Defined> {
  const building: ProjectionBuild = {
    ...{ id: randomBytes(12).toString('hex'), version: 1, started_at: new Date().toISOString() },
    spec: { source: { streams }, key: keys[by], fields, from: 'beginning' },
    sources: Object.fromEntries(
      streams.map((stream) => [stream, { created_at: definitions.stream(stream)!.created_at }]),
    ),
  };
  await definitions.projections.change(
    name,
    (current) => ({
      ...{ name, version: 1, created_at: building.started_at, paused: false, failure: null },
      ...{ serving: current?.serving ?? null, building },
    }),
    systemActor,
  );
  return { name, build: building };
}

/** Has events folded by two projections while something breaks, and checks their states against what is stored. */
async function projectedUnderLoad(
  fault: (driver: Driver, streams: readonly string[]) => Promise<Defined[] | void>,
): Promise<void> {
  const { stack } = system();
  const streams = [freshStream('load'), freshStream('load')];
  for (const stream of streams)
    await definitions.createStream({ stream, snapshot_every: snapshotEvery }, systemActor);
  const checked = new Map<Defined, By>();
  for (const by of ['entity_id', 'event_type'] as const)
    checked.set(await define(freshStream('by'), by, streams), by);
  await underLoad(
    stack,
    async (driver) => {
      for (const more of (await fault(driver, streams)) ?? []) checked.set(more, 'entity_id');
    },
    { streams },
  );
  for (const [projection, by] of checked) await expectRight(projection, { by, streams });
  for (const { name } of checked.keys())
    await definitions.projections.change(name, () => undefined, systemActor);
}

/** No `wrong projection`: what it has for every key is what ClickHouse makes of the stored events. */
async function expectRight(
  { name, build }: Defined,
  { by, streams }: { by: By; streams: readonly string[] },
): Promise<void> {
  await vi.waitFor(() => expect(definitions.projections.get(name)?.serving?.id).toBe(build.id), {
    timeout: 120_000,
    interval: 200,
  });
  await vi.waitFor(() => expectThrough(build, streams), { timeout: 120_000, interval: 200 });
  const fold = compileFold(fields);
  const found = new Map<string, string>();
  for (const { key, parts } of await store.projections.keys({ build: build.id, limit: 10_000 })) {
    const merged = parts
      .map(({ state }) => JSON.parse(state) as FoldState)
      .reduce((a, b) => fold.merge(a, b));
    const { n, sum } = fold.results(merged);
    found.set(key, `${n} ${Number(sum).toFixed(2)}`);
  }
  const { stack } = system();
  // Its own reader of JSON refuses the numbers of thirty digits that are in there as well.
  const text = await sql(
    stack,
    `SELECT concat(${by}, '.'), count(), sum(toDecimal64(extract(data, '"amount":([0-9.]+)'), 2)) FROM ${stack.database}.events FINAL
     WHERE stream IN (${streams.map((stream) => `'${stream}'`).join()}) GROUP BY 1 FORMAT JSONCompactEachRow`,
  );
  const rows = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as [string, string, number]);
  const expected = new Map(rows.map(([key, n, sum]) => [key, `${n} ${Number(sum).toFixed(2)}`]));
  const wrong = [...new Set([...found.keys(), ...expected.keys()])]
    .filter((key) => found.get(key) !== expected.get(key))
    .map((key) => `wrong projection: ${key} has ${found.get(key)}, but shall have ${expected.get(key)}`);
  expect(wrong).toEqual([]);
  expect(found.size).toBeGreaterThan(3);
}

/** Each snapshot is what the events up to its version are, and there is one of a version. */
async function expectSnapshots(streams: readonly string[]): Promise<void> {
  for (const stream of streams) {
    const stored = async () =>
      (await store.snapshots.snapshots({ access: allStreams, stream, limit: 1000 })).items;
    // The snapshotter follows the log: its last saves may come after the load has ended.
    await expect.poll(async () => (await stored()).length).toBeGreaterThan(3);
    const items = await stored();
    const versions = items.map(({ entity_id, version }) => `${entity_id} ${version}`);
    expect(new Set(versions).size).toBe(versions.length);
    for (const { entity_id, version, state } of items) {
      const entity = { access: allStreams, stream, entityId: entity_id };
      const events = await store.snapshots.history({ ...entity, after: 0, upTo: version });
      expect(events.map((event) => event.version)).toEqual(Array.from({ length: version }, (_, i) => i + 1));
      // No member of what the driver sends is an object or null: a patch replaces it.
      const folded: unknown = Object.assign({}, ...events.map(({ data }) => parsed(data) as object));
      expect(parsed(state)).toEqual(folded);
      expect(version % snapshotEvery).toBe(0);
    }
  }
}

/** With one zero: exact numbers have no other. */
function parsed(json: string): unknown {
  return JSON.parse(json, (_, value: unknown) => (value === 0 ? 0 : value));
}

async function expectThrough(build: ProjectionBuild, streams: readonly string[]): Promise<void> {
  const { topics } = system().stack;
  for (const stream of streams) {
    const topic = topics.ofStream(stream);
    const committed = await log.admin.committed(topics.projectionGroup(build.id), topic);
    const behind = (await log.admin.offsets(topic)).filter(
      ({ partition, end }) => (committed.get(partition) ?? 0) < end,
    );
    expect(behind).toEqual([]);
  }
}

describe('given two processors that fold under load', () => {
  it('when they are killed again and again, states are exact (fault 3)', async () => {
    const { stack } = system();
    await projectedUnderLoad(async (driver) => {
      for (let i = 0; i < (testsAll ? 3 : 2); i++) {
        await driver.untilAcknowledged(100);
        await stack.processors[i % 2]!.restart('SIGKILL');
      }
    });
  });

  it('when they are killed between the save and the commit, states are exact (fault 3)', async () => {
    const { stack, engines } = system();
    await projectedUnderLoad(async (driver) => {
      for (let i = 0; i < 2; i++) {
        await engines.kafkaProxy.trap(kafkaRequest(offsetCommit), { do: 'reset' });
        await stack.processors[i % 2]!.restart('SIGKILL');
        await driver.untilAcknowledged(100);
      }
    });
  });

  it('when one is paused past its session and comes back as a zombie, states are exact (fault 5)', async () => {
    const [first] = system().stack.processors;
    await projectedUnderLoad(async (driver) => {
      await driver.untilAcknowledged(200);
      first!.pause();
      await sleep(sessionMs + 5_000);
      await driver.untilAcknowledged(100);
      first!.resume();
      await driver.untilAcknowledged(200);
    });
  });

  it('when the broker is paused for a while, states are exact (fault 7)', async () => {
    const { engines } = system();
    await projectedUnderLoad(async () => {
      engines.pauseKafka();
      await sleep(15_000);
      engines.resumeKafka();
    });
  });

  it('when ClickHouse is killed again and again, states are exact (fault 10)', async () => {
    const { engines } = system();
    await projectedUnderLoad(async (driver) => {
      for (let i = 0; i < 2; i++) {
        await driver.untilAcknowledged(200);
        await engines.killClickHouse();
        await sleep(2_000);
        await engines.startClickHouse();
      }
    });
  });

  it('when one is built anew while they are killed, it takes over with exact states', async () => {
    const { stack } = system();
    await projectedUnderLoad(async (driver, streams) => {
      const name = freshStream('again');
      const former = await define(name, 'entity_id', streams);
      await driver.untilAcknowledged(200);
      const latest = await define(name, 'entity_id', streams);
      await stack.processors[0]!.restart('SIGKILL');
      await stack.processors[1]!.restart('SIGKILL');
      await driver.untilAcknowledged(200);
      expect(latest.build.id).not.toBe(former.build.id);
      return [latest];
    });
  });

  it('when they are killed around the save and the commit of snapshots, these are right (fault 12)', async () => {
    const { stack, engines } = system();
    let loaded: readonly string[] = [];
    const isSave = (chunk: Buffer) => chunk.includes('INSERT') && chunk.includes('snapshots');
    const isCommit = (chunk: Buffer) =>
      kafkaRequest(offsetCommit)(chunk) && chunk.includes(stack.topics.snapshotGroup);
    const restartBoth = () => Promise.all(stack.processors.map((processor) => processor.restart('SIGKILL')));
    await projectedUnderLoad(async (driver, streams) => {
      loaded = streams;
      await engines.clickhouseProxy.trap(isSave, { do: 'swallow-answer' });
      await restartBoth();
      await driver.untilAcknowledged(100);
      await engines.kafkaProxy.trap(isCommit, { do: 'reset' });
      await restartBoth();
      // Enough events for several snapshots in each stream.
      await driver.untilAcknowledged(400);
    });
    await expectSnapshots(loaded);
  });

  it('when they are told to stop, they end in order and leave nothing behind', async () => {
    const { stack } = system();
    await projectedUnderLoad(async (driver) => {
      for (const processor of stack.processors) {
        await driver.untilAcknowledged(100);
        expect(await processor.kill('SIGTERM')).toEqual({ code: 0, signal: null });
        await processor.launch().ready();
      }
    });
  });
});
