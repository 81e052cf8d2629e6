import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startKafka, type RunningKafka } from '#local';
import { ClickHouseCluster, TestSystem, until } from '#testkit';
import { faultySettings, underLoad } from './breakable-system.js';
import { printLogsOfFailures } from './use-stack.js';

describe('given three shards under load', () => {
  let folder: string;
  let kafka: RunningKafka;
  let cluster: ClickHouseCluster;
  let stack: TestSystem;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-shards-'));
    [kafka, cluster] = await Promise.all([
      startKafka({ dataDir: join(folder, 'kafka'), shortLived: true }),
      ClickHouseCluster.start(3),
    ]);
    stack = await TestSystem.start({
      brokers: kafka.brokers,
      clickhouseUrl: cluster.url,
      clickhousePassword: cluster.password,
      clickhouseCluster: cluster.name,
      processors: 1,
      env: faultySettings,
    });
  });
  printLogsOfFailures(() => stack);
  afterAll(async () => {
    await stack?.stop();
    await cluster?.stop();
    await kafka?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const storedIn = async (shard: number): Promise<number> =>
    Number(await cluster.servers[shard]!.ask(`SELECT count() FROM ${stack.database}_local.events`));

  it('when one is killed, the others store events, answers name it or leave it out, and no event is lost or stored twice', async () => {
    const report = await underLoad(stack, async (driver) => {
      const others = async () => (await storedIn(0)) + (await storedIn(1));
      await until(async () => (await others()) > 0, { what: 'events in the other shards' });
      await cluster.servers[2]!.kill();
      const growth = async (what: string) => {
        const before = await others();
        await driver.untilAcknowledged(200);
        await until(async () => (await others()) > before + 50, { what });
      };
      await growth('later events in the other shards');
      await stack.materializer.kill('SIGKILL');
      stack.materializer.launch();
      await growth('events in the other shards, stored by a materializer that started meanwhile');
      const before = await others();
      for (const route of ['/api/v1/events/query?limit=10', '/api/v1/events/count?group_by=event_type']) {
        // The embedded server aborts when another one breaks off its connections, and is back a second later.
        const refused = async () => {
          const { status, text } = await stack.core.get(route);
          return `${status} ${text}`;
        };
        await expect.poll(refused).toMatch(/^503 .*"A shard of ClickHouse \(3\) does not answer/);
        const partial = () => stack.core.get(`${route}&partial=true`);
        await expect.poll(async () => (await partial()).json()).toMatchObject({ missing_shards: [3] });
        await expect.poll(async () => (await partial()).headers['x-missing-shards']).toBe('3');
      }
      const total = async () =>
        (await stack.core.get('/api/v1/events/count?partial=true')).json<{ total: number }>().total;
      await expect.poll(total).toBeGreaterThanOrEqual(before);
      await cluster.servers[2]!.start();
    });
    expect(report.read).toBeGreaterThan(0);
    for (const shard of [0, 1, 2]) expect(await storedIn(shard)).toBeGreaterThan(0);
  });
});
