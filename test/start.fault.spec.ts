import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { PrivateKafkaAndClickHouse, TestSystem, testsAll } from '#testkit';
import { underLoad } from './breakable-system.js';
import { printLogsOfFailures } from './use-stack.js';

let engines: PrivateKafkaAndClickHouse | undefined;
let stack: TestSystem | undefined;

printLogsOfFailures(() => stack);
afterEach(async () => {
  await stack?.stop();
  await engines?.stop();
});

const orders: [string, (system: TestSystem) => TestSystem['apps']][] = [
  ['the gateway first', (system) => [system.gateway, ...system.materializers, system.ingest]],
  ['ingest first', (system) => [system.ingest, system.gateway, ...system.materializers]],
];

describe('given no running engine', () => {
  it.each(testsAll ? orders : orders.slice(0, 1))(
    'when the apps are started, %s, and the engines last, all become ready (fault 15)',
    async (_name, order) => {
      engines = await PrivateKafkaAndClickHouse.prepare();
      // Two materializers and the gateway start at the same time on an empty database, so migrations run
      // concurrently.
      stack = await TestSystem.prepare({
        brokers: engines.brokers,
        clickhouseUrl: engines.clickhouseUrl,
        clickhousePassword: engines.clickhousePassword,
        materializers: 2,
      });
      for (const app of order(stack)) {
        app.launch();
        await sleep(300);
      }
      await sleep(3_000);
      for (const app of stack.apps) {
        expect(app.running, app.logTail()).toBe(true);
        expect(await app.probe('/health/ready')).not.toBe(200);
      }
      await engines.startClickHouse();
      await engines.startKafka();
      await Promise.all(stack.apps.map((app) => app.ready()));
      await underLoad(stack, async (driver) => driver.untilAcknowledged(100));
    },
  );
});
