import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { TestSystem, type LoadDriver } from '#testkit';
import { underLoad, useFaultySystem } from './breakable-system.js';

const plant = pathToFileURL('dist/test/plant-hang.js').href;
const system = useFaultySystem({ planted: { app: 'materializer', file: plant } });
/** Polls for a state that is certain to occur: a busy machine takes long to reach it. */
const polling = { timeout: 150_000, interval: 500 };
let idle: TestSystem | undefined;
afterAll(() => idle?.stop());

describe('given a consumer with lag', () => {
  it('when it hangs, it stops being alive within a minute, while an idle consumer remains alive (fault 18)', async () => {
    const { stack, engines } = system();
    const { brokers, clickhouseUrl, clickhousePassword } = engines;
    idle = await TestSystem.prepare({ brokers, clickhouseUrl, clickhousePassword });
    await idle.materializer.launch().ready();
    const hang = async (driver: LoadDriver) => {
      const { materializer } = stack;
      process.kill(materializer.pid, 'SIGUSR2');
      const start = Date.now();
      expect(await materializer.probe('/health/live')).toBe(200);
      await driver.untilAcknowledged(50);
      await expect.poll(() => materializer.probe('/health/live'), polling).toBe(503);
      console.log(`  alive for ${Math.round((Date.now() - start) / 1000)} s (60 s are allowed)`);
      await expect.poll(() => idle?.materializer.probe('/health/live'), polling).toBe(200);
      await expect.poll(() => stack.ingest.probe('/health/live'), polling).toBe(200);
      // An orchestrator restarts it then.
      await materializer.restart('SIGKILL');
    };
    // For a minute, and all of it is read back.
    await underLoad(stack, hang, { eventsPerSecond: 50 });
  });

  it('when ClickHouse accepts requests and never answers, it is not ready, and continues afterwards', async () => {
    const { stack, engines } = system();
    await underLoad(stack, async (driver) => {
      engines.clickhouseProxy.stall();
      await driver.untilAcknowledged(50);
      const ready = () => stack.materializer.probe('/health/ready');
      await expect.poll(ready, polling).toBe(503);
      expect(await stack.materializer.probe('/health/live')).toBe(200);
      engines.clickhouseProxy.flow();
      engines.clickhouseProxy.cut();
      await expect.poll(ready, polling).toBe(200);
    });
  });
});
