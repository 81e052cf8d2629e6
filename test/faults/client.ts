import { describe, expect, it } from 'vitest';
import { Tributary } from '#client';
import { check, expectClean, faultSeed, Ledger, TcpProxy, testsAll } from '#testkit';
import { ConcurrentEventSender } from '../client/concurrent-event-sender.js';
import { CounterWriters } from '../client/counter-writers.js';
import { system } from './one-system.js';

/** The number of decisions that are accepted between two faults. */
const enough = testsAll ? 20 : 8;
const isWrite = (chunk: Buffer) => chunk.includes('POST /api/v1/events');

describe('given the client behind a faulty network', () => {
  it('when ingest is killed, and connections are reset, slow and truncated, no event is lost or duplicated', async () => {
    const { stack } = system();
    const proxy = await TcpProxy.start({ port: Number(new URL(stack.urls.ingest).port) });
    const client = new Tributary({ url: `http://127.0.0.1:${proxy.port}` });
    // The ledger knows an event with an unknown outcome, but not which later events of its entity may precede it.
    const producer = client.producer({ deliveryTimeoutMs: 180_000, requestTimeoutMs: 5_000 });
    const ledger = Ledger.open();
    const driver = new ConcurrentEventSender(producer, ledger, faultSeed());
    const running = driver.run();
    try {
      await driver.untilAcknowledged(200);
      await stack.ingest.restart('SIGKILL');
      await driver.untilAcknowledged(200);
      for (let n = 0; n < 3; n++) {
        await proxy.trap(isWrite, { do: 'truncate', bytes: 300 });
        await proxy.trap(isWrite, { do: 'swallow-answer' });
        await proxy.trap(isWrite, { do: 'reset' });
        proxy.cut();
        await driver.untilAcknowledged(50);
      }
      proxy.delay({ up: 200, down: 200 });
      proxy.resetEach(3);
      await driver.untilAcknowledged(100);
      await stack.ingest.restart('SIGKILL');
      await proxy.heal();
      await driver.untilAcknowledged(200);
    } finally {
      await proxy.heal();
      driver.stop();
      await running;
      await producer.close();
      await proxy.stop();
    }
    const report = await check({ client: stack.core, ledger });
    expectClean(report);
    expect(report.unknown).toBe(0);
    await ledger.discard();
  });

  it('when ingest and the materializer are killed, and answers are lost, each decision is written once', async () => {
    const { stack } = system();
    const proxy = await TcpProxy.start({ port: Number(new URL(stack.urls.ingest).port) });
    const urls = { url: stack.urls.core, ingestUrl: `http://127.0.0.1:${proxy.port}` };
    const counters = new CounterWriters(Array.from({ length: 4 }, () => new Tributary(urls)));
    const running = counters.run();
    try {
      await counters.untilAccepted(enough);
      await stack.ingest.restart('SIGKILL');
      await counters.untilAccepted(enough);
      await proxy.trap(isWrite, { do: 'swallow-answer' });
      await proxy.trap(isWrite, { do: 'reset' });
      await counters.untilAccepted(5);
      await stack.materializer.restart('SIGKILL');
      await counters.untilAccepted(enough);
    } finally {
      await proxy.heal();
      counters.stop();
      await running;
      await proxy.stop();
    }
    const client = new Tributary({ url: stack.urls.core });
    for (const [entity_id, accepted] of Object.entries(counters.accepted)) {
      const read = async () => {
        const events: number[][] = [];
        for await (const { version, data } of client.events<{ n: number }>({
          stream: counters.stream,
          entity_id,
        }))
          events.push([version!, data.n]);
        return events.toSorted(([a], [b]) => a! - b!);
      };
      const counted = Array.from({ length: accepted }, (_, n) => [n + 1, n + 1]);
      await expect.poll(read).toEqual(counted);
    }
  });
});
