import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ProblemError } from '#api';
import { QueryTooExpensiveError, StoreUnavailableError, type ChangedKeysQuery } from '#store';
import { createLogger } from '#telemetry';
import { EventStreamParser, until } from '#testkit';
import { startMessage } from '#features/events';
import { ChangesClient, ChangesFixture, type ChangeStreamsHandle } from './changes.fixture.js';

const loggerTo = (lines: string[]) =>
  createLogger(
    { name: 'spec', level: 'info' },
    { write: (line) => lines.push((JSON.parse(line) as { msg: string }).msg) },
  );
const newClient = (world: ChangesFixture, snapshot = false) =>
  new ChangesClient(() => new EventStreamParser(), world, snapshot);
const caughtUp = (client: ChangesClient) =>
  until(() => client.sent('caught_up').length > 0, { what: 'the present', intervalMs: 1 });
const came = (client: ChangesClient, count: number) =>
  until(() => client.changes.length >= count, { what: `${count} changes`, intervalMs: 1 });
const keysOf = (client: ChangesClient) => client.changes.map(({ key, version }) => `${key}${version}`);

/** Returns a projection of some events, with a client that has caught up. */
async function given(
  keys: string[] = [],
  { snapshot = false, ...options }: Parameters<ChangesFixture['gateway']>[0] & { snapshot?: boolean } = {},
): Promise<{ world: ChangesFixture; live: ChangeStreamsHandle; client: ChangesClient }> {
  const world = new ChangesFixture();
  await world.folded(keys);
  const live = world.gateway(options);
  const client = newClient(world, snapshot);
  void client.connect(live);
  await caughtUp(client);
  return { world, live, client };
}

describe('streams of changes', () => {
  it('start now, or with `snapshot` with the states of all keys', async () => {
    const { world, live, client } = await given(['a', 'b', 'a']);
    const other = newClient(world, true);
    void other.connect(live);
    await caughtUp(other);
    expect(keysOf(other)).toEqual(['a2', 'b1']);
    await world.folded(['a', 'b', 'a', 'b', 'b']);
    await came(client, 1);
    await came(other, 3);
    expect(keysOf(client)).toEqual(['b3']);
    expect(keysOf(other)).toEqual(['a2', 'b1', 'b3']);
    expect(client.changes[0]).toEqual({
      ...{ key: 'b', version: 3, updated_at: '1970-01-01T00:00:00.000000Z', state: { n: 3 } },
    });
    live.close();
  });

  it('merge the states of all partitions of a key', async () => {
    const { world, live, client } = await given(['a', 'a']);
    await world.folded(['a', 'b'], { partition: 1 });
    await came(client, 2);
    expect(keysOf(client)).toEqual(['a3', 'b1']);
    live.close();
  });

  it('wait for progress: rows that were saved before are sent with it, however they were replaced', async () => {
    const { world, live, client } = await given(['a']);
    const { projections } = world.store;
    for (const position of [1, 2, 3]) await projections.save([world.row('a', { position })], []);
    await sleep(20);
    expect(client.changes).toEqual([]);
    await projections.save([], [world.progress({ next: 3 })]);
    await came(client, 1);
    expect(keysOf(client)).toEqual(['a4']);
    live.close();
  });

  it('resume after the last id with the latest state of each key that has changed since', async () => {
    const { world, live, client } = await given(['a', 'b']);
    await world.folded(['a', 'b', 'c']);
    await came(client, 1);
    await until(() => client.parser.lastEventId !== '', { what: 'an id' });
    client.cut();
    await world.folded(['a', 'b', 'c', 'd', 'd', 'a']);
    void client.connect(live);
    await came(client, 3);
    expect(keysOf(client).slice(-2)).toEqual(['a2', 'd2']);
    live.close();
  });

  it('share reads of the store, and read nothing when there is no stream', async () => {
    const world = new ChangesFixture();
    const { projections } = world.store;
    let [looks, reads] = [0, 0];
    const live = world.gateway({
      projections: {
        progress: (generations) => (looks++, projections.progress(generations)),
        changedKeys: (query) => (reads++, projections.changedKeys(query)),
      },
    });
    const clients = Array.from({ length: 100 }, () => newClient(world));
    for (const client of clients) void client.connect(live);
    await Promise.all(clients.map(caughtUp));
    await world.folded(['a', 'b']);
    await Promise.all(clients.map((client) => came(client, 2)));
    expect(reads).toBe(1);
    for (const client of clients) client.cut();
    await sleep(20);
    const before = looks;
    await sleep(20);
    expect(looks).toBe(before);
  });

  it('read many keys in pages, and large states in smaller pages', async () => {
    const world = new ChangesFixture();
    const { projections } = world.store;
    const keys = Array.from({ length: 1300 }, (_, i) => `k${i}`);
    await world.folded(keys);
    const limits: number[] = [];
    const changedKeys = async (query: ChangedKeysQuery) => {
      limits.push(query.limit);
      if (query.limit > 200) throw new QueryTooExpensiveError('too large');
      return projections.changedKeys(query);
    };
    const live = world.gateway({ projections: { changedKeys } });
    const client = newClient(world, true);
    void client.connect(live);
    await caughtUp(client);
    expect(client.changes.map(({ key }) => key)).toEqual(keys.toSorted());
    expect(Math.max(...limits)).toBeLessThanOrEqual(500);
    live.close();
  });

  it('resume within a page, so that a client that is always interrupted before its end still catches up', async () => {
    const world = new ChangesFixture();
    const keys = Array.from({ length: 1300 }, (_, i) => `k${i}`);
    await world.folded(keys);
    const live = world.gateway();
    const client = newClient(world, true);
    client.holding = true;
    let connections = 0;
    const isThrough = () => client.parser.messages.some(({ event }) => event === 'caught_up');
    // 20 000 characters are fewer than 400 messages.
    for (; connections < 20 && !isThrough(); connections++) {
      void client.connect(live);
      await until(() => client.waiting > 0, { what: 'a page' });
      await sleep(20);
      client.cut(20_000);
    }
    expect(isThrough()).toBe(true);
    expect(connections).toBeGreaterThan(2);
    const got = client.changes.map(({ key }) => key);
    expect(new Set(got)).toEqual(new Set(keys));
    expect(got.length).toBeLessThan(keys.length + connections * 25);
    live.close();
  });

  it('wait while ClickHouse fails, and cannot be opened meanwhile', async () => {
    const world = new ChangesFixture();
    const { projections } = world.store;
    let isDown = false;
    const whenUp = <T>(read: () => Promise<T>): Promise<T> =>
      isDown ? Promise.reject(new StoreUnavailableError('down')) : read();
    const live = world.gateway({
      projections: {
        progress: (generations) => whenUp(() => projections.progress(generations)),
        changedKeys: (query) => whenUp(() => projections.changedKeys(query)),
      },
    });
    const client = newClient(world);
    void client.connect(live);
    await caughtUp(client);
    isDown = true;
    await world.folded(['a']);
    await sleep(20);
    isDown = false;
    await came(client, 1);
    client.cut();
    isDown = true;
    await until(() => client.ended, { what: 'the end' });
    await sleep(10);
    await client.connect(live);
    expect(client.failure).toBeInstanceOf(StoreUnavailableError);
    live.close();
  });

  it('log once that they wait for ClickHouse and once that they continue, whatever their number', async () => {
    const world = new ChangesFixture();
    const lines: string[] = [];
    let [isDown, failures] = [true, 0];
    const live = world.gateway({
      logger: loggerTo(lines),
      projections: {
        changedKeys: (query) => {
          if (!isDown) return world.store.projections.changedKeys(query);
          failures++;
          return Promise.reject(new StoreUnavailableError('down'));
        },
      },
    });
    const clients = [newClient(world), newClient(world)];
    for (const client of clients) void client.connect(live);
    await Promise.all(clients.map(caughtUp));
    await world.folded(['a']);
    await until(() => failures >= 4, { what: 'some tries', intervalMs: 1 });
    isDown = false;
    await Promise.all(clients.map((client) => came(client, 1)));
    expect(lines).toEqual([
      'streams of changes cannot read from the store: trying again until it answers',
      'streams of changes read from the store again',
    ]);
    live.close();
  });

  it('are limited in number', async () => {
    const { world, live } = await given([], { maxStreams: 1 });
    const second = newClient(world);
    await second.connect(live);
    expect(second.failure).toMatchObject({ code: 'overloaded', options: { retryAfterSeconds: 5 } });
    live.close();
  });
});

describe('when another generation starts serving', () => {
  it('the states that were sent are reset, and with `snapshot` sent again', async () => {
    const { world, live, client } = await given(['a', 'b'], { snapshot: true });
    const other = newClient(world);
    void other.connect(live);
    await caughtUp(other);
    world.serve(world.generation(2));
    await world.folded(['c', 'c']);
    await until(() => client.sent('caught_up').length === 2, { what: 'the other generation' });
    expect(client.parser.messages.map(({ event }) => event)).toEqual(
      ['change', 'change', 'caught_up', 'reset', 'change', 'caught_up'], // prettier-ignore
    );
    expect(client.sent('reset')).toEqual([{ version: 2 }]);
    expect(client.copy).toEqual(await world.states());
    await until(() => other.sent('caught_up').length === 2, { what: 'the other generation' });
    await world.folded(['c', 'c', 'd']);
    await came(other, 1);
    expect(keysOf(other).at(-1)).toBe('d1');
    live.close();
  });

  it('a client that resumes with an id of the previous generation gets a reset', async () => {
    const { world, live, client } = await given(['a', 'b']);
    client.cut();
    world.serve(world.generation(2));
    await world.folded(['c']);
    void client.connect(live);
    await until(() => client.sent('caught_up').length === 2, { what: 'the other generation' });
    expect(client.sent('reset')).toEqual([{ version: 2 }]);
    expect(client.failure).toBeUndefined();
    live.close();
  });

  it('a client that loses its connection before the reset gets the reset when it resumes again', async () => {
    const { world, live, client } = await given(['a', 'b']);
    client.cut();
    world.serve(world.generation(2));
    await world.folded(['c']);
    const start = startMessage(client.parser.lastEventId);
    client.holding = true;
    void client.connect(live);
    await until(() => client.waiting > start.length, { what: 'the reset in flight' });
    client.cut(start.length);
    client.holding = false;
    void client.connect(live);
    await until(() => client.sent('caught_up').length === 2, { what: 'the other generation' });
    expect(client.sent('reset')).toEqual([{ version: 2 }]);
    live.close();
  });

  it('nothing is read from the previous generation, whose rows are about to be removed', async () => {
    const world = new ChangesFixture();
    const { projections } = world.store;
    await world.folded(['a', 'b']);
    const former = world.serving;
    const live = world.gateway({
      projections: {
        changedKeys: async (query) => {
          if (query.owner === former.id) {
            world.serve(world.generation(2));
            await world.folded(['c']);
            await projections.remove(former.id);
          }
          return projections.changedKeys(query);
        },
      },
    });
    const client = newClient(world, true);
    void client.connect(live);
    await caughtUp(client);
    expect(client.sent('caught_up')).toEqual([{ version: 2 }]);
    expect(client.copy).toEqual(await world.states());
    live.close();
  });
});

describe('a stream of changes is ended, and its client gets the reason,', () => {
  it('when its key no longer permits it', async () => {
    const world = new ChangesFixture();
    const client = newClient(world);
    let valid = true;
    const requireStillAdmitted = () => {
      if (!valid) throw new ProblemError('invalid_token', 'revoked');
    };
    const ended = client.connect(world.gateway(), { requireStillAdmitted });
    await caughtUp(client);
    valid = false;
    await ended;
    expect(client.errors).toMatchObject([{ code: 'invalid_token', request_id: 'r' }]);
  });

  it('when the projection folds a stream that its key does not cover', async () => {
    const world = new ChangesFixture();
    const client = newClient(world);
    const ended = client.connect(world.gateway(), {
      access: { patterns: ['orders', 'refunds'], reserved: false },
    });
    await caughtUp(client);
    const next = world.generation(2);
    const source = { streams: ['secrets'] };
    world.definition = { ...world.definition!, building: { ...next, spec: { ...next.spec, source } } };
    await ended;
    expect(client.errors).toMatchObject([{ code: 'projection_not_found' }]);
  });

  it.each(['deleted', 'deleted and created again'])('when the projection is %s', async (what) => {
    const { world, client } = await given(['a']);
    world.definition =
      what === 'deleted'
        ? undefined
        : { ...world.definition!, created_at: '2', serving: world.generation(2) };
    await until(() => client.ended, { what: 'the end' });
    expect(client.errors).toMatchObject([{ code: 'projection_not_found' }]);
  });

  it('when its client is too slow; nothing is buffered for it, and the changes it has missed become one message', async () => {
    const world = new ChangesFixture();
    const live = world.gateway({ socket: { bytes: 500, slowMs: 50 } });
    const client = newClient(world);
    client.holding = true;
    const ended = client.connect(live);
    await sleep(20);
    const keys: string[] = [];
    for (let i = 0; i < 50; i++) {
      keys.push(...['a', 'b', 'c', 'd', 'e']);
      await world.folded(keys);
      await sleep(1);
    }
    await ended;
    client.take();
    expect(client.errors).toMatchObject([{ code: 'overloaded' }]);
    expect(client.changes.length).toBeLessThan(50);
    client.holding = false;
    void client.connect(live);
    await until(() => client.changes.some(({ version }) => version === 50), { what: 'the last state' });
    await until(() => client.copy.size === 5, { what: 'all keys' });
    expect(client.copy).toEqual(await world.states());
    live.close();
  });

  it('when the process stops', async () => {
    const { live, client } = await given(['a']);
    live.close();
    await until(() => client.ended, { what: 'the end' });
    expect(client.errors).toMatchObject([{ code: 'shutting_down' }]);
    await client.connect(live);
    expect(client.failure).toMatchObject({ code: 'shutting_down' });
  });
});
