import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpAnswer, HttpClient } from '#testkit';
import { expectProblem, freshStream, queryEvents, type ReadEvent } from './api.js';
import { topicsOf } from './topics.js';
import { useStack } from './use-stack.js';
import { WebhookReceiver, type WebhookReceiverReaction } from './webhook-receiver.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** Receivers whose hosts the secret `shop` has; each spec takes its own. The processor knows the hosts at its start. */
const receivers = await Promise.all(Array.from({ length: 6 }, () => WebhookReceiver.start(secret)));
const hosts = receivers.map(({ url }) => new URL(url).host);
const system = useStack({
  processors: 1,
  env: {
    WEBHOOK_SECRETS: JSON.stringify({ shop: { value: secret, hosts } }),
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  },
});
/**
 * Milliseconds for a job to start: it begins with a consumer that joins its group, which takes time on a busy
 * machine.
 */
const settleMs = 60_000;

interface Shown {
  status: string;
  failure: string | null;
  version: number;
  processed: number;
  emitted: number;
  dropped: number;
  late: number;
  failed: number;
  lag: number;
  retrying: { since: string; last_answer: string } | null;
  watermark: string | null;
  internal_topics: { topic: string; stage: string; partitions: number }[];
  steps: ({ path: string; operator: string } & Record<
    'in' | 'out' | 'dropped' | 'late' | 'failed',
    number
  >)[];
}

const json = { 'content-type': 'application/json' };
const at = (time: string) => `2026-11-21T04:${time}Z`;

/** A stream, a pipeline that reads it, and the streams that the pipeline writes to. */
class Given {
  readonly stream = freshStream();
  readonly large = freshStream('large');
  readonly minutes = freshStream('minutes');
  readonly name = freshStream('p');

  constructor(readonly client: HttpClient) {}

  /** Payments above 100 go to one stream, and all payments are counted by minute and currency. */
  get spec() {
    return {
      source: { streams: [this.stream], idle_after: '1s' },
      operators: [
        { map: { data: { amount: 'event.data.amount', currency: 'event.data.currency' } } },
        {
          branch: [
            { when: 'event.data.amount > 100.0', operators: [{ emit: { stream: this.large } }] },
            {
              otherwise: true,
              operators: [
                { window: { tumbling: '1m', key: 'event.data.currency', lateness: '10s' } },
                {
                  reduce: {
                    payments: { op: 'count' },
                    revenue: { op: 'sum', value: 'event.data.amount' },
                    largest: { op: 'top', n: 1, by: 'event.data.amount', value: 'event.timestamp' },
                    median: { op: 'quantile', p: [0.5], value: 'event.data.amount' },
                  },
                },
                { emit: { stream: this.minutes, event_type: 'payment.minute' } },
              ],
            },
          ],
        },
      ],
    };
  }

  /** The pipeline without its window. */
  get plain() {
    return { source: { streams: [this.stream] }, operators: [{ emit: { stream: this.large } }] };
  }

  async made(): Promise<void> {
    const answer = await this.client.post('/api/v1/streams', { stream: this.stream, partitions: 2 });
    expect(answer.status, answer.text).toBe(201);
  }

  define(more: object = {}): Promise<HttpAnswer> {
    return this.client.post('/api/v1/pipelines', { name: this.name, ...this.spec, ...more });
  }

  path(part = ''): string {
    return `/api/v1/pipelines/${this.name}${part}`;
  }

  async put(spec: object, query = ''): Promise<void> {
    const answer = await this.client.send('PUT', this.path(query), {
      body: JSON.stringify(spec),
      headers: json,
    });
    expect(answer.status, answer.text).toBe(200);
  }

  async act(action: 'pause' | 'resume' | 'reset'): Promise<void> {
    const answer = await this.client.send('POST', this.path(`/${action}`));
    expect(answer.status, answer.text).toBe(200);
  }

  /** Writes payments: `[time, currency, amount]` of each. */
  async pay(...payments: [string, string, unknown][]): Promise<void> {
    const events = payments.map(([time, currency, amount]) => ({
      ...{ stream: this.stream, event_type: 'payment.made', timestamp: at(time), entity_id: currency },
      data: { currency, amount },
    }));
    const answer = await this.client.post('/api/v1/events/batch', { events });
    expect(answer.status, answer.text).toBe(201);
  }

  async shown(): Promise<Shown> {
    const answer = await this.client.get(this.path());
    expect(answer.status, answer.text).toBe(200);
    return answer.json<Shown>();
  }

  /** Waits until the pipeline reports these stats. */
  async shows(figures: Partial<Shown>): Promise<void> {
    await expect.poll(() => this.shown(), { timeout: settleMs, interval: 200 }).toMatchObject(figures);
  }

  /** Waits until all events emitted so far can be queried. */
  async seesAllEmitted(): Promise<void> {
    const { emitted } = await this.shown();
    const seen = async () =>
      (await this.events(this.large)).length + (await this.events(this.minutes)).length;
    await expect.poll(seen, { timeout: settleMs, interval: 200 }).toBe(emitted);
  }

  async events(stream: string): Promise<ReadEvent[]> {
    return (await queryEvents(this.client, { stream, order: 'asc' })).events;
  }

  /** Returns the data of a stream's events, when there are `count` of them. */
  async data(stream: string, count: number): Promise<Record<string, unknown>[]> {
    await expect
      .poll(async () => (await this.events(stream)).length, { timeout: settleMs, interval: 200 })
      .toBe(count);
    return (await this.events(stream)).map(({ data }) => data);
  }
}

describe('a pipeline', () => {
  let given: Given;
  beforeAll(async () => {
    given = new Given(system().query);
    await given.made();
  });

  it('emits results of new and existing events, and closes windows automatically', async () => {
    await given.pay(['00:10', 'EUR', 12.5], ['00:20', 'USD', 450], ['00:55', 'EUR', 7.25]);
    const answer = await given.define();
    expect(answer.status, answer.text).toBe(201);
    expect(await given.data(given.large, 1)).toEqual([{ amount: 450, currency: 'USD' }]);
    const [large] = await given.events(given.large);
    expect(large).toMatchObject({
      ...{ event_type: 'payment.made', timestamp: at('00:20.000000') },
      metadata: { pipeline: given.name, pipeline_version: 1, source_stream: given.stream },
    });
    const [window, ...others] = await given.data(given.minutes, 1);
    expect([window, others]).toEqual([
      {
        ...{ key: 'EUR', window_start: at('00:00.000000'), window_end: at('01:00.000000') },
        ...{ payments: 2, revenue: 19.75, largest: [{ by: 12.5, value: at('00:10.000000') }] },
        median: { 0.5: expect.closeTo(7.3157, 4) as number },
      },
      [],
    ]);
    await given.shows({ status: 'running', processed: 3, emitted: 2, dropped: 0, late: 0, failed: 0 });
    const { watermark, internal_topics } = await given.shown();
    expect(Date.parse(String(watermark))).toBeGreaterThanOrEqual(Date.parse(at('01:00')));
    const stages = ['/operators/1/branch/1/operators/0/window', ''];
    expect(internal_topics.map(({ stage }) => stage)).toEqual(stages);
    const topics = await topicsOf(system());
    for (const { topic } of internal_topics) expect(topics).toContain(topic);
  });

  it('rejects late events for closed windows, and continues after events that fail', async () => {
    await given.pay(['00:30', 'EUR', 1], ['30:00', 'EUR', 'a lot']);
    await given.shows({ processed: 5, late: 1, failed: 1 });
    const letters = await given.client.get(`/api/v1/dead-letters?source=pipeline:${given.name}`);
    const { dead_letters } = letters.json<{ dead_letters: { reason: string }[] }>();
    expect(dead_letters.map(({ reason }) => reason).sort()).toEqual(['late_event', 'operator_failed']);
    expect(await given.events(given.minutes)).toHaveLength(1);
  });

  it('has counted what each of its operators did', async () => {
    const branch = '/operators/1/branch';
    const { steps } = await given.shown();
    expect(steps.map(({ path, operator, ...counts }) => [path, operator, ...Object.values(counts)])).toEqual([
      ['/operators/0', 'map', 5, 5, 0, 0, 0],
      ['/operators/1', 'branch', 5, 4, 0, 0, 1],
      [`${branch}/0/operators/0`, 'emit', 1, 1, 0, 0, 0],
      [`${branch}/1/operators/0`, 'window', 3, 2, 0, 1, 0],
      [`${branch}/1/operators/1`, 'reduce', 2, 1, 0, 0, 0],
      [`${branch}/1/operators/2`, 'emit', 1, 1, 0, 0, 0],
    ]);
    const list = await given.client.get('/api/v1/pipelines');
    expect(list.text).not.toContain('"steps"');
  });

  it('that is paused misses no event', async () => {
    await given.act('pause');
    await given.pay(['31:00', 'USD', 200]);
    await given.shows({ status: 'paused' });
    await given.act('resume');
    expect(await given.data(given.large, 2)).toContainEqual({ amount: 200, currency: 'USD' });
  });

  it('that is changed continues from its position', async () => {
    await given.put(given.plain);
    const written = async (version: number) =>
      (await given.events(given.large)).filter(({ metadata }) => metadata['pipeline_version'] === version);
    // The processor learns of the change a moment later; until then the old version processes a small payment.
    const one = async () => {
      await given.pay(['32:00', 'USD', 3]);
      return (await written(2))[0]?.data;
    };
    const asked = { timeout: settleMs, interval: 1000 };
    await expect.poll(one, asked).toEqual({ amount: 3, currency: 'USD' });
    expect(await written(1)).toHaveLength(2);
    await given.shows({ version: 2 });
    expect((await given.shown()).internal_topics.map(({ stage }) => stage)).toEqual(['']);
  });

  it('that is reset emits all results again, as other events', async () => {
    await given.shows({ lag: 0 });
    const { processed: all } = await given.shown();
    await expect.poll(async () => (await given.events(given.stream)).length, { timeout: settleMs }).toBe(all);
    await given.seesAllEmitted();
    const before = await given.events(given.large);
    await given.act('reset');
    await given.data(given.large, before.length + all);
    expect(new Set((await given.events(given.large)).map(({ event_id }) => event_id)).size).toBe(
      before.length + all,
    );
    await given.shows({ processed: all, version: 2 });
  });

  it('that would feed itself is refused, and so is a target stream that the key may not write', async () => {
    const loop = { source: { streams: [given.large] }, operators: [{ emit: { stream: given.stream } }] };
    expectProblem(await given.define({ ...loop, name: freshStream('loop') }), 'pipeline_loop');
    const streams = [given.stream];
    const scopes = ['definitions:write'];
    const issued = await system().core.post('/api/v1/keys', { name: 'limited', scopes, streams });
    const { key } = issued.json<{ key: string }>();
    const headers = { authorization: `Bearer ${key}` };
    const other = { ...given.plain, name: freshStream('q') };
    const answer = await system().query.post('/api/v1/pipelines', other, { headers });
    expect(expectProblem(answer, 'stream_forbidden').errors).toMatchObject([
      { pointer: '/operators/0/emit/stream' },
    ]);
  });

  it('that is deleted no longer exists, its name is free, and its written events remain', async () => {
    expect((await given.client.send('DELETE', given.path())).status).toBe(204);
    expectProblem(await given.client.get(given.path()), 'pipeline_not_found');
    expect((await given.events(given.large)).length).toBeGreaterThan(0);
    expect((await given.define()).status).toBe(201);
  });

  it('has every change in the audit', async () => {
    const changes = async () => {
      const { events } = await queryEvents(system().query, {
        stream: 'tributary.audit',
        entity_id: `pipeline:${given.name}`,
        order: 'asc',
      });
      return events.map(({ event_type }) => event_type.replace('pipeline.', ''));
    };
    await expect
      .poll(changes, { timeout: settleMs })
      .toEqual([...['created', 'paused', 'resumed', 'changed', 'reset', 'deleted', 'created']]);
  });
});

describe('an expected event', () => {
  it('that does not come is reported once, also after a reset', async () => {
    const given = new Given(system().query);
    await given.made();
    const write = (...events: [string, string, string][]) =>
      given.client.post('/api/v1/events/batch', {
        events: events.map(([time, entity_id, event_type]) => ({
          ...{ stream: given.stream, event_type, entity_id, timestamp: at(time), data: {} },
        })),
      });
    const paid = ['order.paid', 'order.placed'] as const;
    await write(
      ['00:00', 'a', paid[1]],
      ['01:00', 'b', paid[1]],
      ['20:00', 'b', paid[0]],
      ['31:00', 'a', paid[0]],
    );
    const operators = [
      {
        expect: {
          ...{ after: 'event.event_type == "order.placed"', event: 'event.event_type == "order.paid"' },
          ...{ key: 'event.entity_id', within: '30m', as: 'payment.missing' },
        },
      },
      { emit: { stream: given.large } },
    ];
    const answer = await given.define({ operators });
    expect(answer.status, answer.text).toBe(201);
    await given.data(given.large, 1);
    expect(await given.events(given.large)).toMatchObject([
      { event_type: 'payment.missing', entity_id: 'a', timestamp: at('00:00.000000') },
    ]);
    await given.act('reset');
    // The log has the event a second time, with the same id.
    await given.shows({ processed: 4, emitted: 1 });
    await write(['29:00', 'c', paid[1]], ['59:59', 'c', paid[0]]);
    await given.data(given.large, 2);
    expect((await given.events(given.large)).map(({ entity_id }) => entity_id)).toEqual(['a', 'c']);
  });
});

describe('a join', () => {
  it('pairs events of two streams, and passes those that nothing joins, also if a stream is silent', async () => {
    const given = new Given(system().query);
    const payments = freshStream('payments');
    await given.made();
    const created = await given.client.post('/api/v1/streams', { stream: payments, partitions: 3 });
    expect(created.status, created.text).toBe(201);
    const join = {
      ...{ with: { streams: [payments], event_types: ['paid'] }, kind: 'outer', as: 'payment' },
      ...{ left: 'event.entity_id', right: 'event.data.order', within: { before: '1m', after: '1s' } },
    };
    const operators = [{ join }, { emit: { stream: given.large } }];
    const answer = await given.define({ operators });
    expect(answer.status, answer.text).toBe(201);
    const write = async (...events: object[]) => {
      const written = await given.client.post('/api/v1/events/batch', { events });
      expect(written.status, written.text).toBe(201);
    };
    const order = (time: string, entity_id: string, n: number) => ({
      ...{ stream: given.stream, event_type: 'placed', entity_id, timestamp: at(time), data: { n } },
    });
    const payment = (time: string, of: string, event_type = 'paid') => ({
      ...{ stream: payments, event_type, entity_id: `p-${of}`, timestamp: at(time), data: { order: of } },
    });
    // The stream of payments has no event yet: an order that nothing joins passes by the clock.
    await write(order('00:00', 'alone', 1));
    expect(await given.data(given.large, 1)).toEqual([{ n: 1, payment: null }]);
    await write(payment('10:00', 'a'), payment('10:10', 'a', 'refunded'), order('10:30', 'a', 2));
    const [, pair] = await given.data(given.large, 2);
    expect(pair).toEqual({ n: 2, payment: { order: 'a' } });
    const [, event] = await given.events(given.large);
    expect(event).toMatchObject({
      ...{ event_type: 'placed', entity_id: 'a' },
      metadata: { source_stream: given.stream, joined_stream: payments, joined_event_type: 'paid' },
    });
    await given.shows({ processed: 3, emitted: 2, late: 0, failed: 0 });
    const { steps, internal_topics } = await given.shown();
    expect(steps[0]).toMatchObject({ operator: 'join', in: 3, out: 2 });
    expect(internal_topics.map(({ stage }) => stage)).toEqual(['/operators/0/join', '']);
  });
});

describe('a look-up as of a time', () => {
  it('adds the state that was known then, and a repetition adds the same although more is known', async () => {
    const given = new Given(system().query);
    const [profiles, tiers] = [freshStream('profiles'), freshStream('tiers')];
    await given.made();
    const definition = {
      ...{ name: tiers, source: { streams: [profiles] }, history: '3660d' },
      fields: { tier: { op: 'last', value: 'event.data.tier' } },
    };
    const created = await given.client.post('/api/v1/streams', { stream: profiles, partitions: 3 });
    expect(created.status, created.text).toBe(201);
    const projection = await given.client.post('/api/v1/projections', definition);
    expect(projection.status, projection.text).toBe(201);
    const write = async (...events: object[]) => {
      const written = await given.client.post('/api/v1/events/batch', { events });
      expect(written.status, written.text).toBe(201);
    };
    const profile = (time: string, tier: string) => ({
      ...{ stream: profiles, event_type: 'changed', entity_id: 'ada', timestamp: at(time), data: { tier } },
    });
    const order = (time: string, n: number) => ({
      ...{ stream: given.stream, event_type: 'placed', timestamp: at(time), data: { n, by: 'ada' } },
      entity_id: 'o',
    });
    await write(profile('10:00', 'silver'), profile('30:00', 'gold'));
    await write(order('09:59', 1), order('10:00', 2), order('29:59', 3), order('40:00', 4));
    const enrich = { from: { projection: tiers }, key: 'event.data.by', as: 'was', as_of: 'event.timestamp' };
    const operators = [{ enrich }, { emit: { stream: given.large } }];
    const answer = await given.define({ operators });
    expect(answer.status, answer.text).toBe(201);
    const first = await given.data(given.large, 4);
    const was = [null, { tier: 'silver' }, { tier: 'silver' }, { tier: 'gold' }];
    expect(first).toEqual(was.map((tier, i) => ({ n: i + 1, by: 'ada', was: tier })));
    await write(profile('10:30', 'basic'), profile('50:00', 'platinum'));
    await given.act('reset');
    const both = await given.data(given.large, 8);
    const dataOf = (n: unknown) => both.filter((data) => data.n === n);
    for (const data of first) expect(dataOf(data.n)).toEqual([data, data]);
    await write(order('40:00', 5), order('10:45', 6));
    const all = await given.data(given.large, 10);
    expect(all).toContainEqual({ n: 5, by: 'ada', was: { tier: 'gold' } });
    expect(all).toContainEqual({ n: 6, by: 'ada', was: { tier: 'basic' } });
  });

  it('needs a projection that keeps a history', async () => {
    const given = new Given(system().query);
    const tiers = freshStream('tiers');
    await given.made();
    const definition = { name: tiers, source: { streams: [given.stream] }, fields: { n: { op: 'count' } } };
    await given.client.post('/api/v1/projections', definition);
    const enrich = {
      from: { projection: tiers },
      key: 'event.entity_id',
      as: 'was',
      as_of: 'event.timestamp',
    };
    const answer = await given.define({ operators: [{ enrich }, { emit: { stream: given.large } }] });
    expect(expectProblem(answer, 'invalid_request').errors).toMatchObject([
      { pointer: '/operators/0/enrich/as_of', detail: expect.stringContaining('keeps no history') as string },
    ]);
  });
});

describe('a webhook', () => {
  const all = [...receivers];
  afterAll(() => all.forEach((receiver) => receiver.stop()));

  const receiver = (...answers: WebhookReceiverReaction[]): WebhookReceiver => {
    const free = receivers.shift() ?? expect.fail('no receiver is left: start more of them');
    free.react(answers);
    return free;
  };
  const posting = (given: Given, { url }: { url: string }, secret_ref = 'shop') => ({
    source: { streams: [given.stream] },
    operators: [{ webhook: { url, secret_ref } }],
  });
  const got = ({ received }: WebhookReceiver, count: number) =>
    expect.poll(() => received.length, { timeout: settleMs, interval: 100 }).toBe(count);

  it('receives each event, signed, and again with the same id until it accepts the event', async () => {
    const given = new Given(system().query);
    await given.made();
    const to = receiver(503, 503, 204);
    const answer = await given.define(posting(given, to));
    expect(answer.status, answer.text).toBe(201);
    await given.pay(['00:10', 'EUR', 12.5]);
    await got(to, 3);
    expect(to.ids.size).toBe(1);
    const [{ id, event }] = to.received as [(typeof to.received)[0]];
    expect(event).toMatchObject({
      ...{ event_id: id, event_type: 'payment.made', data: { currency: 'EUR', amount: 12.5 } },
      metadata: { pipeline: given.name, pipeline_version: 1, source_stream: given.stream },
    });
    await given.shows({ processed: 1, emitted: 1, failed: 0, lag: 0 });
    const metrics = await fetch(new URL('/metrics', system().processors[0]?.probeUrl));
    const text = await metrics.text();
    for (const [outcome, count] of Object.entries({ delivered: 1, repeated: 2, given_up: 0 }))
      expect(text).toContain(
        `tributary_webhook_attempts_total{pipeline="${given.name}",outcome="${outcome}"} ${count}\n`,
      );
  });

  it('that is down is shown with the time of the first failure and the last answer, until it is back', async () => {
    const given = new Given(system().query);
    await given.made();
    const to = receiver(503);
    expect((await given.define(posting(given, to))).status).toBe(201);
    expect((await given.shown()).retrying).toBeNull();
    const start = Date.now();
    await given.pay(['00:10', 'EUR', 12.5]);
    await given.shows({
      ...{ status: 'running', failure: null, emitted: 0 },
      retrying: { since: expect.any(String) as string, last_answer: 'The receiver answered 503.' },
    });
    const { since } = (await given.shown()).retrying ?? expect.fail('the pipeline no longer retries');
    expect(Date.parse(since)).toBeGreaterThanOrEqual(start);
    to.react([500]);
    await given.pay(['00:20', 'EUR', 7.5]);
    await given.shows({ retrying: { since, last_answer: 'The receiver answered 500.' } });
    const list = await given.client.get('/api/v1/pipelines');
    const { pipelines } = list.json<{ pipelines: { name: string; retrying: object | null }[] }>();
    expect(pipelines.find(({ name }) => name === given.name)?.retrying).toMatchObject({ since });
    to.letGo();
    await given.pay(['00:30', 'EUR', 1]);
    await given.shows({ lag: 0, retrying: null });
    expect((await given.shown()).emitted).toBeGreaterThan(0);
  });

  it('that is slow delays its own pipeline, and no other', async () => {
    const [held, free] = [new Given(system().query), new Given(system().query)];
    await Promise.all([held.made(), free.made()]);
    const [slow, good] = [receiver('waits'), receiver(204)];
    await free.define(posting(free, good));
    await free.pay(['00:10', 'EUR', 1]);
    await got(good, 1);
    await held.define(posting(held, slow));
    await held.pay(['00:10', 'EUR', 1]);
    await expect.poll(() => slow.ids.size, { timeout: settleMs, interval: 100 }).toBe(1);
    await held.pay(['00:20', 'EUR', 2]);
    await free.pay(['00:20', 'EUR', 2], ['00:30', 'USD', 3]);
    await got(good, 3);
    expect(slow.ids.size).toBe(1);
    expect(await held.shown()).toMatchObject({ status: 'running', emitted: 0 });
    slow.letGo();
    await held.shows({ emitted: 2, failed: 0 });
    expect(slow.ids.size).toBe(2);
  });

  it('whose secret no processor has stops with that reason, and loses no event', async () => {
    const given = new Given(system().query);
    await given.made();
    const to = receiver(204);
    await given.pay(['00:10', 'EUR', 1]);
    expect((await given.define(posting(given, to, 'nobodys'))).status).toBe(201);
    await given.shows({ status: 'failed' });
    expect((await given.shown()).failure).toMatch(
      /^\/operators\/0\/webhook: .*nobodys.* to WEBHOOK_SECRETS .* resume the pipeline\.$/,
    );
    const health = (await system().core.get('/health')).json<{ checks: object }>();
    expect(health).toMatchObject({
      status: 'degraded',
      checks: { definitions: { status: 'degraded', failed_pipelines: 1 } },
    });
    await given.act('resume');
    await given.shows({ status: 'failed' });
    await given.put(posting(given, to));
    await got(to, 1);
    await given.shows({ status: 'running', emitted: 1, failed: 0 });
    const letters = await given.client.get(`/api/v1/dead-letters?source=pipeline:${given.name}`);
    expect(letters.json()).toMatchObject({ dead_letters: [] });
  });
});

describe('a webhook to a host that is not among those of its secret', () => {
  it('sends nothing, stops with that reason, and loses no event', async () => {
    const foreign = await WebhookReceiver.start(secret);
    try {
      const given = new Given(system().query);
      await given.made();
      await given.pay(['00:10', 'EUR', 1]);
      const operators = [{ webhook: { url: foreign.url, secret_ref: 'shop' } }];
      const made = await given.define({ source: { streams: [given.stream] }, operators });
      expect(made.status).toBe(201);
      await given.shows({ status: 'failed', emitted: 0, failed: 0 });
      const { host } = new URL(foreign.url);
      expect((await given.shown()).failure).toContain(`secret shop must not sign requests to ${host}.`);
      expect(foreign.requests).toBe(0);
      await given.put({
        source: { streams: [given.stream] },
        operators: [{ emit: { stream: given.large } }],
      });
      await given.shows({ status: 'running', emitted: 1, failed: 0 });
    } finally {
      foreign.stop();
    }
  });
});

describe('dead letters of a pipeline', () => {
  it('are created for each part of an event that failed, and continue at the failed operator, once', async () => {
    const given = new Given(system().query);
    await given.made();
    const [seen, out] = [given.minutes, given.large];
    const spec = (n: string) => {
      const operators = [{ map: { data: { n } } }, { emit: { stream: out } }];
      const branch = [
        { when: 'event.data.item.kind == "a"', operators },
        { otherwise: true, operators },
      ];
      const parts = { flat_map: { list: 'event.data.items', as: 'item' } };
      return {
        source: { streams: [given.stream] },
        operators: [parts, { emit: { stream: seen } }, { branch }],
      };
    };
    const defined = await given.define(spec('event.data.item.n + 0'));
    expect(defined.status, defined.text).toBe(201);
    const items = [
      { kind: 'a', n: 'x' },
      { kind: 'b', n: 'y' },
      { kind: 'a', n: 1 },
      { kind: 'a', n: 'z' },
    ];
    const event = { stream: given.stream, event_type: 'order.placed', data: { items } };
    expect((await given.client.post('/api/v1/events', event)).status).toBe(201);
    await given.shows({ processed: 1, failed: 3, lag: 0 });
    const source = `pipeline:${given.name}`;
    const listed = await given.client.get(`/api/v1/dead-letters?source=${source}`);
    const { dead_letters } = listed.json<{ dead_letters: { id: string; operator: string }[] }>();
    const [a, b] = [0, 1].map((way) => `/operators/2/branch/${way}/operators/0/map`);
    expect(dead_letters.map(({ operator }) => operator).sort()).toEqual([a, a, b]);

    await given.put(spec('string(event.data.item.n)'));
    const replay = async (body: object) => {
      const answer = await given.client.post('/api/v1/dead-letters/replay', body);
      expect(answer.status, answer.text).toBe(200);
      return answer.json();
    };
    expect(await replay({ source })).toMatchObject({ matched: 3, replayed: 3, failed: [], events: [] });
    const data = await given.data(out, 4);
    expect(data.map(({ n }) => String(n)).sort()).toEqual(['1', 'x', 'y', 'z']);
    const ids = dead_letters.map(({ id }) => id);
    expect(await replay({ ids })).toMatchObject({ matched: 3, replayed: 0, skipped: 3 });
    await given.shows({ processed: 1, emitted: 8, failed: 3, lag: 0 });
    expect([(await given.events(seen)).length, (await given.events(out)).length]).toEqual([4, 4]);
  });
});
