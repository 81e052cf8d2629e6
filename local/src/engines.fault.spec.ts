import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKafkaLog, type Log } from '#log';
import { startClickHouse, type RunningClickHouse } from './clickhouse/start.js';
import { freePort } from './free-port.js';
import { startKafka, type KafkaOptions, type RunningKafka } from './kafka/start.js';

const running: (RunningKafka | RunningClickHouse)[] = [];
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tributary-engines-'));
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.kill('SIGKILL')));
  await rm(folder, { recursive: true, force: true });
});

describe('the embedded ClickHouse', () => {
  const start = async (): Promise<RunningClickHouse> => {
    const one = await startClickHouse({ dataDir: folder });
    running.push(one);
    return one;
  };
  const ask = async (one: RunningClickHouse, body: string): Promise<string> =>
    (await fetch(one.url, { method: 'POST', body })).text();

  it.each(['kill -9', 'an orderly stop'])('has every acknowledged row after %s', async (how) => {
    const first = await start();
    await ask(first, 'CREATE TABLE t (n UInt64) ENGINE MergeTree ORDER BY n');
    expect(await ask(first, 'INSERT INTO t SELECT number FROM numbers(100000)')).toBe('');
    await (how === 'kill -9' ? first.kill('SIGKILL') : first.stop());
    expect(await ask(await start(), 'SELECT count(), sum(n) FROM t')).toBe('100000\t4999950000\n');
  });

  it('answers what runs before it stops', async () => {
    const one = await start();
    const answer = ask(one, 'SELECT sleep(1), 42');
    await expect.poll(() => ask(one, 'SELECT count() FROM system.processes')).toBe('2\n');
    await one.stop();
    expect(await answer).toBe('0\t42\n');
  });
});

function logOf(kafka: RunningKafka): Log {
  return openKafkaLog({ brokers: [kafka.brokers], clientId: 'test', replicationFactor: -1 });
}

describe('the embedded Kafka', () => {
  const start = async (more: Partial<KafkaOptions> = {}): Promise<RunningKafka> => {
    const one = await startKafka({ dataDir: folder, ...more });
    running.push(one);
    return one;
  };

  it.each(['kill -9', 'an orderly stop'])(
    'has every acknowledged record after %s, on another port',
    async (how) => {
      const first = await start();
      const before = logOf(first);
      await before.admin.create('test.topic', { partitions: 1 });
      const producer = await before.producer();
      await producer.append(
        Array.from({ length: 100 }, (_, i) => ({ topic: 'test.topic', key: 'k', value: String(i) })),
      );
      await producer.close();
      await before.close();
      await (how === 'kill -9' ? first.kill('SIGKILL') : first.stop());
      const second = await start();
      const after = logOf(second);
      const end = async (): Promise<number | undefined> => (await after.admin.offsets('test.topic'))[0]?.end;
      await expect.poll(end).toBe(100);
      await after.close();
    },
  );

  it('chooses again when a port that it has chosen is taken before it listens', async () => {
    const other = createServer().listen(await freePort(), '127.0.0.1');
    await once(other, 'listening');
    const { port: taken } = other.address() as AddressInfo;
    const chosen: number[] = [];
    const choosePort = async (): Promise<number> => {
      chosen.push(chosen.length === 0 ? taken : await freePort());
      return chosen.at(-1) ?? 0;
    };
    const one = await start({ choosePort });
    expect([chosen.length, one.port]).toEqual([4, chosen[2]]);
    const log = logOf(one);
    await log.admin.ping();
    await log.close();
    other.close();
  });
});
