import { afterEach, describe, expect, it, vi } from 'vitest';
import { metricsText } from '#telemetry';
import type { GrantedDelivery } from '../state/subscription-state.js';
import { SubscriptionGatewayFixture } from './subscription-gateway.fixture.js';
import { SubscriptionGauges } from './subscription-gauges.js';
import { SubscriptionService } from './subscription-service.js';

const given = new SubscriptionGatewayFixture();
const gauges = () => given.gateway.nest.get(SubscriptionGauges, { strict: false });
const log = () => given.gateway.nest.get(SubscriptionService, { strict: false }).log;

afterEach(async () => {
  await given.send('DELETE', given.at());
});

/** Returns the values of this test's subscription by their names in the metrics, with the outcome or the state. */
async function shown(): Promise<Record<string, number>> {
  const lines = (await metricsText()).split('\n');
  const found = lines.flatMap((line): [string, number][] => {
    const [, name, labels, value] = /^tributary_subscription_(\w+)\{(.*)\} (\S+)$/.exec(line) ?? [];
    if (name === undefined || !labels!.includes(`subscription="${given.name}"`)) return [];
    const [, more] = /(?:outcome|state)="(\w+)"/.exec(labels!) ?? [];
    return [[more === undefined ? name : `${name} ${more}`, Number(value)]];
  });
  return Object.fromEntries(found);
}

/** Writes four events, and hands them out with a lease of so many milliseconds. */
async function handedOut(lease: number): Promise<readonly GrantedDelivery[]> {
  const producer = await given.gateway.log.producer();
  const record = { topic: given.gateway.topicOf('orders'), partition: 0, key: 'a', value: '{}' };
  await producer.append(Array.from({ length: 4 }, () => record));
  const { run } = given.definition!;
  const { id: source, starts } = run.sources['orders']!;
  const from = starts![0]!;
  const events = [0, 1, 2].map((i) => [from + i, null] as const);
  const fresh = [{ source, partition: 0, from, next: from + 3, events }];
  const claim = { type: 'claim', lease, most: 10, parkedBlocks: true, park: [], again: [], fresh } as const;
  return (await log().execute(run.id, claim)).granted;
}

const handOutOf = ({ source, partition, offset, claim }: GrantedDelivery) =>
  [source, partition, offset, claim] as const;

describe('the metrics of a subscription', () => {
  it('have what is handed out, what became of it, and the lag', async () => {
    await given.put();
    const [first, second, third] = (await handedOut(30_000)).map(handOutOf);
    await gauges().measure();
    expect(await shown()).toMatchObject({ outstanding_events: 3, lag_records: 1, 'state running': 1 });
    const settle = { type: 'settle', extend: [], release: [third!], releaseDelay: 60_000, lease: 0 } as const;
    const nack = [{ handOut: second!, delayMs: null, reason: '' }];
    await log().execute(given.definition!.run.id, { ...settle, ack: [first!], nack });
    await gauges().measure();
    expect(await shown()).toEqual({
      'events_total handed_out': 3,
      'events_total acknowledged': 1,
      'events_total rejected': 1,
      'events_total parked': 1,
      'events_total released': 1,
      'events_total expired': 0,
      'events_total replayed': 0,
      'events_total discarded': 0,
      outstanding_events: 0,
      retrying_events: 1,
      waiting_events: 0,
      parked_events: 1,
      lag_records: 1,
      oldest_outstanding_seconds: 0,
      'state running': 1,
    });
  });

  it('count what expires, and what becomes of parked events', async () => {
    await given.put();
    const [first, second, third] = await handedOut(0);
    const ref = ({ source, partition, offset }: GrantedDelivery) => [source, partition, offset] as const;
    const { id } = given.definition!.run;
    const claim = { type: 'claim', lease: 30_000, most: 10, parkedBlocks: true, fresh: [] } as const;
    const [park, again] = [[ref(first!), ref(second!)], [ref(third!)]];
    await expect
      .poll(async () => {
        await log().execute(id, { ...claim, park, again });
        return (await shown())['events_total expired'];
      })
      .toBe(3);
    await log().execute(id, { type: 'parked', action: 'replay', events: [ref(first!)] });
    await log().execute(id, { type: 'parked', action: 'discard', events: 'all' });
    expect(await shown()).toMatchObject({
      'events_total handed_out': 4,
      'events_total parked': 2,
      'events_total replayed': 1,
      'events_total discarded': 1,
    });
  });

  it('say that it is paused, and how long the oldest event has been out', async () => {
    await given.put();
    await handedOut(30_000);
    await given.send('POST', given.at('/pause'));
    await expect
      .poll(async () => {
        await gauges().measure();
        return (await shown())['oldest_outstanding_seconds'];
      })
      .toBeGreaterThan(0);
    expect(await shown()).toMatchObject({ 'state paused': 1 });
  });

  it('disappear with it', async () => {
    await given.put();
    await handedOut(30_000);
    await gauges().measure();
    const end = gauges().follow(60_000);
    expect(Object.keys(await shown()).length).toBeGreaterThan(10);
    await given.send('DELETE', given.at());
    expect(await shown()).toEqual({});
    end();
  });
});

it('without a subscription, the topic of subscriptions is not read', async () => {
  for (const { name } of given.gateway.definitions.subscriptions.all())
    await given.send('DELETE', `/api/v1/subscriptions/${name}`);
  const read = vi.spyOn(log(), 'stateOf');
  await gauges().measure();
  expect(read).not.toHaveBeenCalled();
  await given.put();
  await gauges().measure();
  expect(read).toHaveBeenCalledExactlyOnceWith(given.definition!.run.id);
});
