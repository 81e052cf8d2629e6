import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openKafkaLog, type Log } from '#kafka';
import { askClickHouse } from '#testkit';
import { startClickHouse, type RunningClickHouse } from './clickhouse/start.js';
import { freePort } from './engine/free-port.js';
import type { KafkaOptions } from './kafka/properties.js';
import { startKafka, type RunningKafka } from './kafka/start.js';

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
    (await askClickHouse({ clickhouseUrl: one.url, clickhousePassword: one.password }, body)).text();

  it.each(['kill -9', 'an orderly stop'])('has every acknowledged row after %s', async (how) => {
    const first = await start();
    await ask(first, 'CREATE TABLE t (n UInt64) ENGINE MergeTree ORDER BY n');
    expect(await ask(first, 'INSERT INTO t SELECT number FROM numbers(100000)')).toBe('');
    await (how === 'kill -9' ? first.kill('SIGKILL') : first.stop());
    expect(await ask(await start(), 'SELECT count(), sum(n) FROM t')).toBe('100000\t4999950000\n');
  });

  it('completes running statements before it stops', async () => {
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

/**
 * A DescribeConfigs request, version 1, correlation 1, client `test`, without resources: the broker and the
 * controller support it.
 */
const describeNothing = Buffer.from(
  ['0020', '0001', '00000001', '0004', '74657374', '00000000', '00'].join(''),
  'hex',
);

/** Whether a connection without authentication gets an answer. */
async function answersUnproven(port: number): Promise<boolean> {
  const size = Buffer.alloc(4);
  size.writeInt32BE(describeNothing.length);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(Buffer.concat([size, describeNothing]));
  const answered = await Promise.race([
    once(socket, 'data').then(() => true),
    once(socket, 'close').then(() => false),
  ]);
  socket.destroy();
  return answered;
}

describe('the embedded Kafka', () => {
  const start = async (more: Partial<KafkaOptions> = {}): Promise<RunningKafka> => {
    const one = await startKafka({ dataDir: folder, shortLived: true, ...more });
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

  it('given a password, then the broker and its controller serve only clients with that password', async () => {
    const controllerPort = await freePort();
    const one = await start({ password: 'secret', controllerPort, port: await freePort() });
    const sasl = (password: string) => ({ mechanism: 'plain' as const, username: 'tributary', password });
    const pinged = async (how: { sasl?: ReturnType<typeof sasl> }): Promise<string> => {
      const log = openKafkaLog({ brokers: [one.brokers], clientId: 'test', replicationFactor: -1, ...how });
      return log.admin
        .ping()
        .then(
          () => 'answered',
          () => 'refused',
        )
        .finally(() => log.close());
    };
    expect(await pinged({ sasl: sasl('secret') })).toBe('answered');
    expect(await pinged({ sasl: sasl('wrong') })).toBe('refused');
    expect(await pinged({})).toBe('refused');
    expect([await answersUnproven(one.port), await answersUnproven(controllerPort)]).toEqual([false, false]);
    const openController = await freePort();
    const open = await start({ dataDir: join(folder, 'open'), controllerPort: openController });
    expect([await answersUnproven(open.port), await answersUnproven(openController)]).toEqual([true, true]);
  });

  it('reports an error in one line, and the stack in its log', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const error = await start({ port, controllerPort: await freePort() }).then(
      () => new Error('it has started'),
      (reason: unknown) => reason as Error,
    );
    other.close();
    expect(error.message).toMatch(/ERROR .*KafkaException: Socket server failed to bind/);
    expect(error.message).not.toMatch(/^\s*at /m);
    expect(await readFile(join(folder, 'logs', 'server.log'), 'utf8')).toMatch(/^\s*at /m);
  });

  it('exits when it runs out of memory, so that it is started again', async () => {
    const heapMb = 160;
    const tooMuch = (heapMb + 2) << 20;
    const one = await start({ heapMb, properties: { 'socket.request.max.bytes': tooMuch } });
    let ended = false;
    void one.ended.then(() => (ended = true));
    // The length of a request that is never sent: the broker allocates the memory for it at once.
    const length = Buffer.alloc(4);
    length.writeInt32BE(tooMuch - 1);
    const socket = connect(one.port, '127.0.0.1', () => socket.write(length));
    socket.on('error', () => undefined);
    await expect.poll(() => ended).toBe(true);
    socket.destroy();
  });

  it('chooses another port when its chosen port is taken before it listens', async () => {
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
