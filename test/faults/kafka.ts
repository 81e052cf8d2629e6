import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { testsAll } from '#testkit';
import { expectProblem, freshStream } from '../api.js';
import { underLoad } from '../breakable-system.js';
import { system } from './one-system.js';

describe('given a broker under load', () => {
  it('when it is killed and restarted, no event is lost or duplicated (fault 7)', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      await engines.killKafka();
      await sleep(2_000);
      await engines.startKafka();
      await driver.untilAcknowledged(300);
      await engines.killKafka();
      await engines.startKafka();
    });
  });

  it('when it is paused for a while, no event is lost or duplicated (fault 7)', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async () => {
      engines.pauseKafka();
      await sleep(process.env.FAULT_LONG ? 30_000 : 15_000);
      engines.resumeKafka();
    });
  });

  it('when its connections are reset again and again', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < (testsAll ? 8 : 5); i++) {
        await driver.untilAcknowledged(50);
        engines.kafkaProxy.cut();
      }
    });
  });

  it('when it is down, writers get an error, readers are not affected, and writing continues afterwards', async () => {
    const { stack, engines } = system();
    const event = { stream: freshStream(), event_type: 't', data: {} };
    expect((await stack.write.post('/api/v1/events', event)).status).toBe(201);
    await engines.kafkaProxy.refuse();
    for (const client of [stack.write, stack.core]) {
      const answer = await client.post('/api/v1/events', event, { timeoutMs: 60_000 });
      expectProblem(answer, 'log_unavailable');
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    }
    expect((await stack.core.get('/api/v1/events/query')).status).toBe(200);
    await expect.poll(() => stack.ingest.probe('/health/ready'), { timeout: 60_000 }).toBe(503);
    await engines.kafkaProxy.acceptAgain();
    await expect
      .poll(async () => (await stack.write.post('/api/v1/events', event)).status, { timeout: 90_000 })
      .toBe(201);
  });
});
