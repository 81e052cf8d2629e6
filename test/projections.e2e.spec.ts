import { beforeAll, describe, expect, it, vi } from 'vitest';
import { EventStreamClient, until, type HttpAnswer, type HttpClient, topicOf } from '#testkit';
import {
  expectProblem,
  freshStream,
  path,
  queryEvents,
  waitFor,
  writeEvent,
  type SingleWriteAnswer,
} from './api.js';
import { sql } from './sql.js';
import { expireRecords } from './topics.js';
import { useStack } from './use-stack.js';

const system = useStack({ processors: 1, env: { KAFKA_SESSION_TIMEOUT_MS: '10000' } });
/**
 * Milliseconds for a generation: it begins with a consumer that joins its group, which takes time on a busy machine.
 */
const builtMs = 60_000;

interface Projection {
  status: string;
  version: number;
  serving_version: number | null;
  processed: number;
  failed: number;
  lag: number;
  updated_at: string | null;
  progress: { version: number } | null;
}

interface State {
  key: string;
  version: number;
  updated_at: string;
  state: Record<string, unknown>;
}

const json = { 'content-type': 'application/json' };
const fields = { orders: { op: 'count' }, revenue: { op: 'sum', value: 'event.data.amount' } };

/** A stream with a projection of it, accessed through one port. */
class Given {
  readonly stream = freshStream();
  readonly name = freshStream('p');
  readonly written: SingleWriteAnswer[] = [];

  constructor(readonly client: HttpClient) {}

  get spec() {
    return { source: { streams: [this.stream] }, key: 'event.data.currency', fields };
  }

  async made(): Promise<void> {
    const answer = await this.client.post('/api/v1/streams', { stream: this.stream });
    expect(answer.status, answer.text).toBe(201);
  }

  define(more: object = {}): Promise<HttpAnswer> {
    return this.client.post('/api/v1/projections', { name: this.name, ...this.spec, ...more });
  }

  at(part = ''): string {
    return `/api/v1/projections/${this.name}${part}`;
  }

  put(spec: object): Promise<HttpAnswer> {
    return this.client.send('PUT', this.at(), { body: JSON.stringify(spec), headers: json });
  }

  /** Sends an action without a body. */
  act(action: 'pause' | 'resume' | 'reset'): Promise<HttpAnswer> {
    return this.client.send('POST', this.at(`/${action}`));
  }

  async order(currency: string, data: object = {}): Promise<void> {
    const event = { stream: this.stream, event_type: 'order.placed', entity_id: `o-${this.written.length}` };
    this.written.push(await writeEvent(this.client, { ...event, data: { currency, ...data } }));
  }

  async orders(currency: string, amounts: readonly number[]): Promise<void> {
    for (const amount of amounts) await this.order(currency, { amount });
  }

  async shown(): Promise<Projection> {
    const answer = await this.client.get(this.at());
    expect(answer.status, answer.text).toBe(200);
    return answer.json<Projection>();
  }

  /** Waits until this version serves and no other is being built. */
  async built(version: number): Promise<void> {
    const serves = async () => {
      const { serving_version, progress } = await this.shown();
      return [serving_version, progress];
    };
    await expect.poll(serves, { timeout: builtMs }).toEqual([version, null]);
  }

  /** Returns the state of a key that includes all written events. */
  async state(key: string): Promise<State> {
    const url = path(this.at(`/state/${key}`), waitFor(this.written));
    let answer = await this.client.get(url);
    for (let tries = 1; answer.status === 504 && tries < 6; tries++) answer = await this.client.get(url);
    expect(answer.status, answer.text).toBe(200);
    return answer.json<State>();
  }
}

describe.each(['core', 'query'] as const)('on the %s port', (port) => {
  let given: Given;
  beforeAll(async () => {
    given = new Given(system()[port]);
    await given.made();
  });

  it('a projection is defined, built from the log, and follows it', async () => {
    await given.orders('EUR', [10, 2.5]);
    const answer = await given.define();
    expect(answer.status, answer.text).toBe(201);
    expect(answer.headers.location).toBe(given.at());
    expect(answer.json()).toMatchObject({ name: given.name, status: 'building', version: 1, ...given.spec });
    expect((await given.define()).status).toBe(200);
    expectProblem(await given.define({ key: 'event.entity_id' }), 'projection_exists');
    await given.built(1);
    expect(await given.state('EUR')).toMatchObject({ version: 2, state: { orders: 2, revenue: 12.5 } });
    await given.orders('EUR', [0.1, 0.2]);
    await given.orders('USD', [7]);
    const { state, version, updated_at } = await given.state('EUR');
    expect([state, version]).toEqual([{ orders: 4, revenue: 12.8 }, 4]);
    expect(Date.parse(updated_at)).toBeGreaterThan(Date.now() - 600_000);
    const figures = { status: 'running', processed: 5, failed: 0, lag: 0 };
    await expect.poll(() => given.shown(), { timeout: 10_000 }).toMatchObject(figures);
    const list = await given.client.get('/api/v1/projections');
    const { projections } = list.json<{ projections: { name: string }[] }>();
    expect(projections.find(({ name }) => name === given.name)).toMatchObject(figures);
  });

  it('an event that cannot be folded becomes a dead letter, and other events are processed', async () => {
    await given.order('EUR', { amount: 'a lot' });
    await given.orders('EUR', [1]);
    expect((await given.state('EUR')).state).toEqual({ orders: 5, revenue: 13.8 });
    const source = `projection:${given.name}`;
    const letters = async () => {
      const answer = await given.client.get(path('/api/v1/dead-letters', { source }));
      return answer.json<{ dead_letters: object[] }>().dead_letters;
    };
    await expect.poll(letters).toMatchObject([{ stream: given.stream, reason: 'cannot_be_folded' }]);
    await expect.poll(() => given.shown(), { timeout: 10_000 }).toMatchObject({ processed: 6, failed: 1 });
  });

  it('a changed version is built while the previous one serves, and replaces it', async () => {
    const wanted = { ...given.spec, key: 'event.event_type', fields: { n: { op: 'count' } } };
    const answer = await given.put(wanted);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json()).toMatchObject({ version: 2, serving_version: 1, status: 'running' });
    const during = await given.client.get(given.at('/state/EUR'));
    if ((await given.shown()).serving_version === 1) {
      expect(during.json<State>().state).toEqual({ orders: 5, revenue: 13.8 });
    }
    await given.built(2);
    expect((await given.state('order.placed')).state).toEqual({ n: 7 });
    expectProblem(await given.client.get(given.at('/state/EUR')), 'projection_key_not_found');
    expect((await given.put(wanted)).json()).toMatchObject({ version: 2, serving_version: 2 });
    expect(await given.shown()).toMatchObject({ version: 2, progress: null });
  });

  it('a projection that is paused and resumed has missed no event', async () => {
    for (let twice = 0; twice < 2; twice++)
      expect((await given.act('pause')).json()).toMatchObject({ status: 'paused' });
    // A processor stops a moment after the pause was acknowledged.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    await given.orders('EUR', [1, 2]);
    await queryEvents(given.client, { stream: given.stream }, waitFor(given.written));
    const answer = await given.client.get(given.at('/state/order.placed'));
    expect(answer.json<State>().state).toEqual({ n: 7 });
    await expect.poll(() => given.shown(), { timeout: 10_000 }).toMatchObject({ status: 'paused', lag: 2 });
    expect((await given.act('resume')).json()).toMatchObject({ status: 'running' });
    expect((await given.state('order.placed')).state).toEqual({ n: 9 });
  });

  it('a projection that is rebuilt from the log has the same states', async () => {
    const answer = await given.act('reset');
    expect(answer.json()).toMatchObject({ version: 2, status: 'running' });
    await given.built(2);
    expect((await given.state('order.placed')).state).toEqual({ n: 9 });
  });

  it('a projection is deleted with its states, and its name is free', async () => {
    expect((await given.client.send('DELETE', given.at())).status).toBe(204);
    expectProblem(await given.client.get(given.at()), 'projection_not_found');
    expectProblem(await given.client.get(given.at('/state/order.placed')), 'projection_not_found');
    expectProblem(await given.client.send('DELETE', given.at()), 'projection_not_found');
    const answer = await given.define({ from: 'now' });
    expect(answer.status, answer.text).toBe(201);
    await given.built(1);
    await given.orders('EUR', [4]);
    expect((await given.state('EUR')).state).toEqual({ orders: 1, revenue: 4 });
    expect((await given.client.send('DELETE', given.at())).status).toBe(204);
  });

  it('every change is in the audit, with its author', async () => {
    const entries = async () => {
      const { events } = await queryEvents(given.client, { stream: 'tributary.audit', limit: '1000' });
      return events
        .filter(({ entity_id }) => entity_id === `projection:${given.name}`)
        .map(
          ({ event_type, metadata }) => `${event_type.replace('projection.', '')} ${String(metadata.port)}`,
        );
    };
    await expect
      .poll(entries, { timeout: 10_000 })
      .toEqual([
        ...[`created ${port}`, 'switched system', `changed ${port}`, 'switched system'],
        ...[`paused ${port}`, `resumed ${port}`, `reset ${port}`, 'switched system', `deleted ${port}`],
        ...[`created ${port}`, 'switched system', `deleted ${port}`],
      ]);
  });
});

describe('given a projection of two streams, one of which is deleted and created again', () => {
  it('fails and says why, and folds both streams after a reset', async () => {
    const given = new Given(system().core);
    const other = new Given(system().core);
    for (const one of [given, other]) await one.made();
    await given.orders('EUR', [1]);
    await other.orders('EUR', [10]);
    await given.define({ source: { streams: [given.stream, other.stream] } });
    await given.built(1);
    expect((await given.state('EUR')).state).toEqual({ orders: 2, revenue: 11 });
    const deletion = path(`/api/v1/streams/${given.stream}`, { confirm: given.stream });
    expect((await given.client.send('DELETE', deletion)).status).toBe(204);
    expectProblem(await given.act('reset'), 'stream_not_found');
    await given.made();
    given.written.length = 0;
    await given.orders('EUR', [100]);
    const old = await given.client.get(given.at('/state/EUR'));
    expect(old.json<State>().state).toEqual({ orders: 2, revenue: 11 });
    await expect
      .poll(async () => (await given.client.get(given.at())).json<object>())
      .toMatchObject({
        status: 'failed',
        failure: `The stream ${given.stream} was deleted and created again. Reset the projection to fold it, or remove it from the sources.`,
      });
    expect((await given.act('reset')).status).toBe(200);
    await given.built(1);
    expect((await given.state('EUR')).state).toEqual({ orders: 2, revenue: 110 });
  });
});

describe('a stream of changes', () => {
  const follow = (given: Given, parameters: Record<string, string>, headers: Record<string, string> = {}) =>
    EventStreamClient.open(`${system().urls.query}${path(given.at('/changes'), parameters)}`, {
      authorization: `Bearer ${system().key}`,
      ...headers,
    });
  const kindsOf = ({ messages }: EventStreamClient) => messages.map(({ event }) => event);
  /** Returns the last state of each key since the last reset. */
  const copyOf = (clients: readonly EventStreamClient[]) => {
    const copy = new Map<string, object>();
    for (const { event, data } of clients.flatMap(({ messages }) => messages)) {
      if (event === 'reset') copy.clear();
      if (event === 'change') copy.set((JSON.parse(data) as State).key, JSON.parse(data) as State);
    }
    return [...copy.values()];
  };
  const statesOf = async (given: Given) =>
    (await given.client.get(given.at('/state?limit=1000'))).json<{ states: State[] }>().states;
  /** Asserts that the states that the clients received equal the current states, which include all written events. */
  const expectCopy = async (given: Given, ...clients: EventStreamClient[]) => {
    await given.state('k0');
    const byKey = (states: object[]) => (states as State[]).toSorted((a, b) => (a.key < b.key ? -1 : 1));
    await vi.waitFor(async () => expect(byKey(copyOf(clients))).toEqual(byKey(await statesOf(given))), {
      timeout: 20_000,
      interval: 100,
    });
  };
  const write = async (given: Given, count: number) => {
    const events = Array.from({ length: count }, (_, i) => ({
      ...{ stream: given.stream, event_type: 'order.placed', entity_id: `e${i % 11}` },
      data: { currency: `k${i % 7}`, amount: i },
    }));
    const answer = await given.client.post('/api/v1/events/batch', { events });
    expect(answer.status, answer.text).toBe(201);
    for (const written of answer.json<{ events: SingleWriteAnswer[] }>().events)
      given.written.push({ ...written, stream: given.stream });
  };

  it('converges to the current states, despite failures meanwhile', async () => {
    const given = new Given(system().core);
    await given.made();
    await given.define();
    expectProblem(await given.client.get(given.at('/changes')), 'projection_building');
    await given.built(1);
    await write(given, 100);
    const first = await follow(given, { snapshot: 'true' });
    expect(first.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    await expectCopy(given, first);
    for (let i = 0; i < 5; i++) await write(given, 100);
    await system().processors[0]!.restart('SIGKILL');
    for (let i = 0; i < 5; i++) await write(given, 100);
    await expectCopy(given, first);
    first.close();
    await given.act('pause');
    await write(given, 100);
    await given.act('resume');
    const second = await follow(given, { snapshot: 'true' }, { 'last-event-id': first.lastEventId });
    await expectCopy(given, first, second);
    expect(kindsOf(second)).not.toContain('reset');
    await given.act('reset');
    await write(given, 100);
    await until(() => kindsOf(second).includes('reset'), { what: 'the reset', patienceMs: builtMs });
    await write(given, 100);
    await expectCopy(given, second);
    await given.client.send('DELETE', given.at());
    await until(() => second.ended, { what: 'the end of the stream' });
    expect(second.messages.at(-1)?.data).toContain('"code":"projection_not_found"');
  });

  it('is seen by a key that covers all streams of the projection', async () => {
    const given = new Given(system().core);
    await given.made();
    await given.define();
    await given.built(1);
    const keyFor = async (body: object) => {
      const answer = await given.client.post('/api/v1/keys', { name: 'k', ...body });
      return { authorization: `Bearer ${answer.json<{ key: string }>().key}` };
    };
    const refused = await keyFor({ scopes: ['events:read'], streams: ['other'] });
    expect((await follow(given, {}, refused)).text).toContain('projection_not_found');
    expect((await follow(given, {}, await keyFor({ scopes: ['definitions:read'] }))).status).toBe(403);
    const admitted = await follow(
      given,
      {},
      await keyFor({ scopes: ['events:read'], streams: [given.stream] }),
    );
    expect(admitted.status).toBe(200);
    expectProblem(await given.client.get(given.at('/changes?since=now')), 'invalid_request');
    admitted.close();
  });
});

describe('a log whose beginning retention has removed', () => {
  const write = async (given: Given, from: number, until: number) => {
    const events = Array.from({ length: until - from }, (_, i) => ({
      ...{ stream: given.stream, event_type: 'order.placed', entity_id: `e${(from + i) % 31}` },
      data: { currency: `k${(from + i) % 7}`, amount: from + i },
    }));
    const answer = await given.client.post('/api/v1/events/batch', { events });
    expect(answer.status, answer.text).toBe(201);
    for (const written of answer.json<{ events: SingleWriteAnswer[] }>().events)
      given.written.push({ ...written, stream: given.stream });
    await queryEvents(given.client, { stream: given.stream, limit: '1' }, waitFor(given.written));
  };
  const expire = async (given: Given, part: number) =>
    expireRecords(system(), await topicOf(system(), given.stream), part);
  /** Asserts that the states equal ClickHouse's result for all events ever written. */
  const expectExact = async (given: Given) => {
    await given.state('k0');
    const text = await sql(
      system(),
      `SELECT JSONExtractString(data, 'currency') AS key, count(), sum(JSONExtractUInt(data, 'amount'))
       FROM ${system().database}.events FINAL WHERE startsWith(stream, '${given.stream}#') GROUP BY key ORDER BY key FORMAT TSV`,
    );
    const answer = await given.client.get(given.at('/state'));
    const { states } = answer.json<{ states: State[] }>();
    const lines = states.map(({ key, state }) => [key, state.orders, state.revenue].join('\t'));
    expect(lines).toEqual(text.trim().split('\n'));
  };

  it('is read from the store: by a first generation, a reset, and a paused projection', async () => {
    const given = new Given(system().core);
    await given.made();
    await write(given, 0, 3000);
    await expire(given, 0.7);
    await write(given, 3000, 3500);
    await given.define();
    await given.built(1);
    await expectExact(given);
    await given.act('pause');
    await write(given, 3500, 4000);
    await expire(given, 1);
    await given.act('resume');
    await expectExact(given);
    await given.act('reset');
    await system().processors[0]!.restart('SIGKILL');
    await write(given, 4000, 4100);
    await given.built(1);
    await expectExact(given);
    const figures = { status: 'running', processed: 4100, failed: 0, lag: 0 };
    await expect.poll(() => given.shown(), { timeout: 10_000 }).toMatchObject(figures);
  });
});

describe('an invalid definition', () => {
  it('is refused with a pointer to each invalid member', async () => {
    const given = new Given(system().core);
    await given.made();
    const wrong = { n: { op: 'sum', value: 'event.data.' } };
    const problem = expectProblem(
      await given.define({ key: 'nothing', fields: wrong }),
      'invalid_expression',
    );
    expect(problem.errors?.map(({ pointer }) => pointer)).toEqual(['/key', '/fields/n/value']);
    const source = { streams: [given.stream, 'not-there'] };
    expect(expectProblem(await given.define({ source }), 'stream_not_found').errors).toMatchObject([
      { pointer: '/source/streams/1' },
    ]);
    expectProblem(await given.client.get(given.at()), 'projection_not_found');
  });
});
