import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { testsAll } from '#testkit';
import { expectProblem } from '../api.js';
import { underLoad } from '../breakable-system.js';
import { system } from './one-system.js';

const isInsert = (chunk: Buffer) =>
  /^POST [^\r]*INSERT|INSERT INTO/i.test(chunk.toString('latin1', 0, 4_000));

describe('given inserts into ClickHouse under load', () => {
  it('when they are interrupted in the middle of the body, every event is stored once (fault 4)', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      for (const bytes of testsAll ? [300, 900, 2_000, 5_000] : [300, 2_000]) {
        await engines.clickhouseProxy.trap(isInsert, { do: 'truncate', bytes });
        await driver.untilAcknowledged(100);
      }
    });
  });

  it('when their answers are lost, every event is stored once (fault 4)', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < (testsAll ? 4 : 2); i++) {
        await engines.clickhouseProxy.trap(isInsert, { do: 'swallow-answer' });
        await driver.untilAcknowledged(100);
      }
    });
  });

  it('when the answer is lost and the materializer is killed, every event is stored once (faults 3 and 4)', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < (testsAll ? 3 : 2); i++) {
        await engines.clickhouseProxy.trap(isInsert, { do: 'swallow-answer' });
        await stack.materializer.restart('SIGKILL');
        await driver.untilAcknowledged(100);
      }
    });
  });
});

describe('given ClickHouse that is down', () => {
  it('when writing continues, no event is lost and the backlog drains afterwards (fault 10)', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      await engines.killClickHouse();
      await driver.untilAcknowledged(300);
      const answer = await stack.core.get('/api/v1/events/query');
      expectProblem(answer, 'store_unavailable');
      expect(answer.headers['retry-after']).toMatch(/^\d+$/);
      await expect.poll(() => stack.ingest.probe('/health/ready')).toBe(200);
      await sleep(testsAll ? 10_000 : 5_000);
      await driver.untilAcknowledged(300);
      await engines.startClickHouse();
    });
  });

  it('when it is killed again and again under load (fault 10)', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < (testsAll ? 3 : 2); i++) {
        await driver.untilAcknowledged(200);
        await engines.killClickHouse();
        await sleep(500);
        await engines.startClickHouse();
      }
    });
  });

  it('when its connections are cut again and again', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      for (let i = 0; i < (testsAll ? 10 : 5); i++) {
        await driver.untilAcknowledged(40);
        engines.clickhouseProxy.cut();
      }
    });
  });
});
