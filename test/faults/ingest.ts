import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { kafkaRequest, testsAll } from '#testkit';
import { freshStream, queryEvents, waitFor, type SingleWriteAnswer } from '../api.js';
import { underLoad } from '../breakable-system.js';
import { system } from './one-system.js';

describe('given clients that repeat events with an unknown outcome under the same event_id', () => {
  it('when ingest is killed under load, no event is lost or duplicated (fault 1)', async () => {
    const { stack } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < (testsAll ? 3 : 2); i++) {
        await driver.untilAcknowledged(150);
        await stack.ingest.restart('SIGKILL');
      }
    });
  });

  it('when ingest is stopped under load, no event is lost or duplicated (fault 2)', async () => {
    const { stack } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < (testsAll ? 3 : 2); i++) {
        await driver.untilAcknowledged(150);
        expect(await stack.ingest.kill('SIGTERM')).toEqual({ code: 0, signal: null });
        await stack.ingest.launch().ready();
      }
    });
  });

  it('when the answers of Kafka are lost, repeated events are stored once (fault 8)', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < (testsAll ? 4 : 2); i++) {
        await engines.kafkaProxy.trap(kafkaRequest(0), { do: 'swallow-answer' });
        await driver.untilAcknowledged(100);
      }
    });
  });

  it('when Kafka is slow and every tenth connection is reset (fault 9)', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      engines.kafkaProxy.delay({ up: 200, down: 200 });
      engines.kafkaProxy.resetEach(10);
      await driver.untilAcknowledged(300);
      engines.kafkaProxy.cut();
      await driver.untilAcknowledged(300);
      engines.kafkaProxy.delay({});
      engines.kafkaProxy.resetEach(0);
    });
  });
});

describe('given requests that wait for Kafka', () => {
  it('when ingest is stopped, it answers all of them before it ends (fault 2)', async () => {
    const { stack, engines } = system();
    const stream = freshStream();
    const event = (n: number) => ({ stream, event_type: 't', entity_id: `e${n}`, data: { n } });
    await stack.write.post('/api/v1/events', event(0));
    engines.kafkaProxy.stall('up');
    const requests = Array.from({ length: 16 }, (_, n) => stack.write.post('/api/v1/events', event(n + 1)));
    await expect.poll(() => requestsInFlight(stack.ingest.probeUrl)).toBeGreaterThanOrEqual(16);
    const ended = stack.ingest.kill('SIGTERM');
    await sleep(500);
    engines.kafkaProxy.flow();
    const answers = await Promise.all(requests);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(await ended).toEqual({ code: 0, signal: null });
    const written = answers.map((answer) => answer.json<SingleWriteAnswer>());
    const { count } = await queryEvents(stack.core, { stream, limit: '100' }, waitFor(written));
    expect(count).toBe(17);
  });
});

async function requestsInFlight(url: string): Promise<number> {
  const metrics = await (await fetch(new URL('/metrics', url))).text();
  return Number(/^tributary_http_requests_in_flight (\d+)$/m.exec(metrics)?.[1]);
}
