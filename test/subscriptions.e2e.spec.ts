import { describe, expect, it } from 'vitest';
import { until } from '#testkit';
import { expectProblem, freshStream, path, writeEvent, type ReadEvent } from './api.js';
import { useStack } from './use-stack.js';

const system = useStack();

interface ReceivedEvent {
  token: string;
  attempt: number;
  event: ReadEvent;
}

/** A subscription of a stream of its own. */
class GivenSubscription {
  readonly stream = freshStream('subscribed');
  private readonly url = `/api/v1/subscriptions/${this.stream}`;

  async define(more: object = {}): Promise<this> {
    await system().core.post('/api/v1/streams', { stream: this.stream, partitions: 3 });
    const body = JSON.stringify({ source: { streams: [this.stream] }, ...more });
    const answer = await system().core.send('PUT', this.url, {
      body,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status, answer.text).toBe(201);
    return this;
  }

  write(n: number, entity_id: string | null = null) {
    return writeEvent(system().write, { stream: this.stream, event_type: 't', entity_id, data: { n } });
  }

  post(path: string, body: object = {}) {
    return system().core.post(`${this.url}/${path}`, body);
  }

  async get() {
    return (await system().core.get(this.url)).json<Record<string, unknown>>();
  }

  async receive(max = 100, wait = '10s'): Promise<ReceivedEvent[]> {
    const answer = await this.post('receive', { max, wait });
    expect(answer.status, answer.text).toBe(200);
    return answer.json<{ events: ReceivedEvent[] }>().events;
  }

  /** Receives until there are so many events. */
  async receiveAll(count: number): Promise<ReceivedEvent[]> {
    const all: ReceivedEvent[] = [];
    const more = async () => all.push(...(await this.receive()));
    await until(async () => (await more()) >= count, { what: `${count} events`, progress: () => all.length });
    return all;
  }

  async ack(events: readonly ReceivedEvent[]) {
    return (await this.post('ack', { ack: events.map(({ token }) => token) })).json<
      Record<string, string[]>
    >();
  }

  async nack(events: readonly ReceivedEvent[], more: object) {
    const answer = await this.post('ack', { nack: events.map(({ token }) => ({ token, ...more })) });
    return answer.json<Record<string, string[]>>();
  }
}

const numbers = (events: readonly ReceivedEvent[]) => events.map(({ event }) => event.data.n as number);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const sorted = (events: readonly ReceivedEvent[]) => numbers(events).sort((a, b) => a - b);

describe('a subscription', () => {
  it('hands out every event once, and none again that was acknowledged', async () => {
    const given = await new GivenSubscription().define({ from: 'beginning', order: 'none' });
    await Promise.all(upTo(50).map((n) => given.write(n, `e${n % 7}`)));
    const received = await given.receiveAll(50);
    expect(sorted(received)).toEqual(upTo(50));
    expect(received.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(await given.get()).toMatchObject({ outstanding: 50, lag: 0, parked: 0 });
    expect(new Set((await given.ack(received)).ack)).toEqual(new Set(['done']));
    expect(await given.receive(100, '1s')).toEqual([]);
    expect(await given.get()).toMatchObject({ outstanding: 0, oldest_outstanding_at: null });
    expect((await given.ack(received.slice(0, 1))).ack).toEqual(['done']);
  });

  it('answers a worker that waits as soon as an event is there, and begins now by default', async () => {
    const given = await new GivenSubscription().define();
    const waiting = given.receive(10, '30s');
    await given.write(7);
    const [received] = await waiting;
    expect(received).toMatchObject({ attempt: 1, event: { stream: given.stream, data: { n: 7 } } });
  });

  it('hands an event out before it is stored, without a version', async () => {
    const given = await new GivenSubscription().define({ from: 'beginning' });
    await given.write(0, 'a');
    await given.ack(await given.receive());
    await system().materializer.stop();
    try {
      await given.write(1, 'a');
      const [received] = await given.receive();
      expect(received?.event).toMatchObject({ version: null, data: { n: 1 } });
      await given.nack([received!], { delay: '0s' });
      const [again] = await given.receive();
      expect(again).toMatchObject({ attempt: 2, event: { event_id: received!.event.event_id } });
      expect((await given.ack([again!])).ack).toEqual(['done']);
    } finally {
      await system().materializer.restart();
    }
    await given.write(2, 'a');
    expect(numbers(await given.receive())).toEqual([2]);
  });

  it('has one event of an entity out at a time, in the order of its versions', async () => {
    const given = await new GivenSubscription().define({ from: 'beginning' });
    for (const n of upTo(6)) await given.write(n, n % 2 ? 'odd' : 'even');
    const order: Record<string, number[]> = { even: [], odd: [] };
    for (let i = 0; i < 20 && order.even!.length + order.odd!.length < 6; i++) {
      const received = await given.receive();
      const entities = received.map(({ event }) => event.entity_id);
      expect(new Set(entities).size).toBe(entities.length);
      for (const { event } of received) order[event.entity_id!]!.push(event.data.n as number);
      await given.ack(received);
    }
    expect(order).toEqual({ even: [0, 2, 4], odd: [1, 3, 5] });
  });

  it('hands an event out again that was not acknowledged in time, and parks it after the last attempt', async () => {
    const given = await new GivenSubscription().define({
      ...{ from: 'beginning', ack_within: '1s' },
      retry: { attempts: 2 },
    });
    await given.write(1, 'a');
    await given.write(2, 'a');
    const [first] = await given.receiveAll(1);
    const [second] = await given.receiveAll(1);
    expect([first?.attempt, second?.attempt]).toEqual([1, 2]);
    expect(second?.event.event_id).toBe(first?.event.event_id);
    expect((await given.ack([first!])).ack).toEqual(['expired']);
    await until(async () => (await given.receive(1, '1s'), (await given.get()).parked === 1), {
      what: 'parked',
    });
    const parked = await system().core.get(`/api/v1/subscriptions/${given.stream}/parked`);
    const { parked: items } = parked.json<{ parked: Record<string, unknown>[] }>();
    expect(items).toMatchObject([{ attempts: 2, blocked: 1, event: { data: { n: 1 } } }]);
    expect(items[0]!.reason).toContain('2 times');
  });

  it('repeats what a worker refuses after the delay, and replays and discards what it parks', async () => {
    const given = await new GivenSubscription().define({ from: 'beginning' });
    for (const n of upTo(3)) await given.write(n, `e${n}`);
    const received = await given.receiveAll(3);
    await given.nack(received.slice(0, 1), { delay: '1s', reason: 'busy' });
    await given.nack(received.slice(1), { park: true, reason: 'broken' });
    const [again] = await given.receive();
    expect(again).toMatchObject({ attempt: 2, event: { event_id: received[0]!.event.event_id } });
    const { parked } = (await system().core.get(`/api/v1/subscriptions/${given.stream}/parked`)).json<{
      parked: { id: string; reason: string }[];
    }>();
    expect(parked.map(({ reason }) => reason)).toEqual(['broken', 'broken']);
    const [{ id } = { id: '' }] = parked;
    expect((await given.post('parked/discard', { ids: [id] })).json()).toEqual({ events: 1 });
    expect((await given.post('parked/replay', { all: true })).json()).toEqual({ events: 1 });
    expect(await given.receive()).toMatchObject([{ attempt: 1 }]);
    expect(await given.get()).toMatchObject({ parked: 0, outstanding: 2 });
  });

  it('prolongs the time of a worker that needs longer', async () => {
    const given = await new GivenSubscription().define({ from: 'beginning', ack_within: '6s' });
    await given.write(1, 'a');
    const [received] = await given.receive();
    for (let i = 0; i < 3; i++) {
      expect(await given.receive(1, '2s')).toEqual([]);
      const answer = await given.post('ack', { extend: [received!.token] });
      expect(answer.json()).toEqual({ ack: [], nack: [], extend: ['done'] });
    }
    expect((await given.ack([received!])).ack).toEqual(['done']);
  });

  it('selects events by type and condition', async () => {
    const given = new GivenSubscription();
    const source = { streams: [given.stream], event_types: ['t'], where: 'event.data.n >= 3.0' };
    await given.define({ from: 'beginning', source });
    for (const n of upTo(5)) await given.write(n);
    await writeEvent(system().write, { stream: given.stream, event_type: 'u', data: { n: 9 } });
    expect(sorted(await given.receiveAll(2))).toEqual([3, 4]);
    expect(await given.receive(10, '1s')).toEqual([]);
  });

  it('can be moved: what is out then is forgotten', async () => {
    const given = await new GivenSubscription().define({ from: 'beginning' });
    for (const n of upTo(2)) await given.write(n);
    const received = await given.receiveAll(2);
    expect((await given.post('seek', { to: 'beginning' })).status).toBe(204);
    expect((await given.ack(received)).ack).toEqual(['unknown', 'unknown']);
    const again = await given.receiveAll(2);
    expect(sorted(again)).toEqual([0, 1]);
    await given.post('seek', { to: 'now' });
    expect(await given.receive(10, '1s')).toEqual([]);
  });

  it('answers 409 while it is paused, also those who wait, and continues afterwards', async () => {
    const given = await new GivenSubscription().define({ from: 'beginning' });
    const waiting = given.post('receive', { wait: '30s' });
    await given.post('pause');
    expectProblem(await waiting, 'subscription_paused');
    await given.write(1);
    expectProblem(await given.post('receive'), 'subscription_paused');
    await given.post('resume');
    expect(numbers(await given.receive())).toEqual([1]);
  });

  it('does not hand out an event again that was erased while it was out', async () => {
    const given = await new GivenSubscription().define({ from: 'beginning', ack_within: '1s' });
    await given.write(1, 'person');
    const [received] = await given.receiveAll(1);
    const erasure = path('/api/v1/entities/person', { stream: given.stream, confirm: 'person' });
    const erased = await system().core.send('DELETE', erasure);
    expect(erased.status, erased.text).toBeLessThan(300);
    expect(await given.receive(1, '3s')).toEqual([]);
    expect((await given.ack([received!])).ack).toEqual(['done']);
  });

  it('does not accept tokens of another subscription, or other texts, as its own', async () => {
    const [own, other] = [new GivenSubscription(), new GivenSubscription()];
    await own.define({ from: 'beginning' });
    await other.define({ from: 'beginning' });
    await other.write(1);
    const [received] = await other.receive();
    const { token } = received!;
    const tokens = [token, token.slice(1), `${token}AAAA`, 'x', '🎉', '..', ' '];
    expect((await own.post('ack', { ack: tokens })).json()).toMatchObject({
      ack: tokens.map(() => 'unknown'),
    });
    expectProblem(await own.post('ack', {}), 'invalid_request');
    expectProblem(await own.post('ack', { ack: upTo(10_001).map(() => 'x') }), 'invalid_request');
    expect((await own.post('ack', { ack: upTo(10_000).map(() => token) })).status).toBe(200);
    expectProblem(await own.post('receive', { max: 1_001 }), 'invalid_request');
    expectProblem(await own.post('receive', { wait: '61s' }), 'invalid_request');
  });
});
