import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { Stack } from '#testing';
import { sessionMs, underLoad, useFaultySystem } from './faulty-system.js';

const plant = pathToFileURL('dist/test/plant-hang.js').href;
const env = { NODE_OPTIONS: `--import=${plant}`, KAFKA_SESSION_TIMEOUT_MS: String(sessionMs) };
const system = useFaultySystem({ env });
let idle: Stack | undefined;
afterAll(() => idle?.stop());

describe('given a consumer with lag', () => {
  it('when it hangs, it is not alive within a minute, while an idle one is (fault 18)', async () => {
    const { stack, engines } = system();
    idle = await Stack.start({ brokers: engines.brokers, clickhouseUrl: engines.clickhouseUrl });
    await underLoad(stack, async (driver) => {
      const { materializer } = stack;
      process.kill(materializer.pid, 'SIGUSR2');
      const start = Date.now();
      await driver.untilAcknowledged(50);
      expect(await materializer.probe('/health/live')).toBe(200);
      while ((await materializer.probe('/health/live')) === 200 && Date.now() - start < 75_000)
        await sleep(500);
      expect(await materializer.probe('/health/live')).toBe(503);
      expect(await idle?.materializer.probe('/health/live')).toBe(200);
      expect(await stack.ingest.probe('/health/live')).toBe(200);
      // What an orchestrator does then.
      await materializer.restart('SIGKILL');
    });
  }, 240_000);

  it('when ClickHouse takes requests and never answers, it is not ready, and goes on after', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      engines.clickhouseProxy.stall();
      await driver.untilAcknowledged(50);
      const unready = () => stack.materializer.probe('/health/ready');
      await expect.poll(unready, { timeout: 15_000, interval: 500 }).toBe(503);
      expect(await stack.materializer.probe('/health/live')).toBe(200);
      engines.clickhouseProxy.flow();
      engines.clickhouseProxy.cut();
      await expect.poll(unready, { timeout: 15_000, interval: 500 }).toBe(200);
    });
  });
});
