import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { defaultKafkaLogLimits } from '../cluster/kafka-log-options.js';
import { silentLogger, type KafkaLogger } from '../cluster/logger.js';
import { GrowingBuffer } from '../encoding/growing-buffer.js';
import { writeRecordBatch } from '../produce/record-batch.js';
import { fetchOutage, Fetcher } from './fetcher.js';
import { PartitionBuffer } from './partition-buffer.js';

/**
 * The only Kafka broker of a fake cluster. The broker fails the first `failures` requests, and then returns fetch
 * responses without records.
 */
class FailingBroker {
  asked = 0;
  constructor(private readonly failures: number) {}

  readonly send = async (): Promise<object> => {
    await sleep(1);
    if (this.asked++ < this.failures) throw new Error('connection refused');
    return { errorCode: 0, sessionId: 1, partitions: [] };
  };
}

function clientOf(broker: FailingBroker): ClusterClient {
  return {
    metadata: async () => new Map([['t', [0, 1].map((partitionId) => ({ partitionId, leader: 0 }))]]),
    broker: async () => ({ connectionPool: broker }),
  } as unknown as ClusterClient;
}

describe('the fetchers of one process', () => {
  const open: Fetcher[] = [];
  afterEach(() => open.splice(0).forEach((fetcher) => fetcher.close()));

  it('log one line when they begin to fail and one when all work again, whatever their number and retries', async () => {
    const lines: string[] = [];
    let goesOn: () => void = () => undefined;
    const over = new Promise<void>((resolve) => (goesOn = resolve));
    const logger: KafkaLogger = {
      ...silentLogger,
      warn: (_details, message) => lines.push(`warn: ${message}`),
      info: (_details, message) => {
        lines.push(`info: ${message}`);
        goesOn();
      },
    };
    const outage = fetchOutage(logger);
    const brokers = [new FailingBroker(3), new FailingBroker(5)];
    for (const broker of brokers) {
      const fetcher = new Fetcher({
        ...{ client: clientOf(broker), bounds: defaultKafkaLogLimits, logger, outage },
        onGone: () => expect.fail('gone'),
        onFatal: (error) => expect.fail(String(error)),
      });
      open.push(fetcher);
      for (const partition of [0, 1]) fetcher.add(bufferOf(partition));
    }
    await over;
    expect(brokers.every(({ asked }) => asked > 3)).toBe(true);
    expect(lines).toEqual([
      'warn: Cannot fetch from Kafka: retrying',
      'info: Fetching from Kafka works again',
    ]);
  });
});

describe('a fetcher of two partitions that a later leader writes', () => {
  let fetcher: Fetcher;
  afterEach(() => fetcher.close());

  it('delivers the one while the other cannot be checked, and then both', async () => {
    const read: number[] = [];
    let isChecked = false;
    const send = async ({ request }: { request: { apiKey: number } }): Promise<unknown> => {
      await sleep(1);
      if (request.apiKey === 23)
        return [0, 1].map((partition) => {
          const errorCode = partition === 0 && !isChecked ? 6 : 0;
          return { topic: 't', partition, errorCode, endOffset: 20 };
        });
      const bytes = recordOf(2, 20);
      const partitions = [0, 1].map((partition) => {
        return { topic: 't', partition, errorCode: 0, lastStable: 21, aborted: [], bytes };
      });
      return { errorCode: 0, sessionId: 0, partitions };
    };
    const client = {
      metadata: async () => new Map([['t', [0, 1].map((partitionId) => ({ partitionId, leader: 0 }))]]),
      broker: async () => ({ connectionPool: { send } }),
    } as unknown as ClusterClient;
    fetcher = new Fetcher({
      ...{ client, bounds: defaultKafkaLogLimits, logger: silentLogger },
      outage: fetchOutage(silentLogger),
      onGone: () => expect.fail('gone'),
      onFatal: (error) => expect.fail(String(error)),
    });
    for (const partition of [0, 1])
      fetcher.add(
        new PartitionBuffer({
          ...{ topic: 't', partition, from: 20, read: { offset: 20, leaderEpoch: 1 } },
          deliver: async (batch) => void read.push(batch.partition),
          onError: () => undefined,
        }),
      );
    await expect.poll(() => read, { timeout: 5_000 }).toEqual([1]);
    isChecked = true;
    await expect.poll(() => read, { timeout: 5_000 }).toEqual([1, 0]);
  });
});

describe('a fetcher of a partition whose first batch of a later leader is damaged and the last of a fetch', () => {
  let fetcher: Fetcher;
  afterEach(() => fetcher.close());

  it('reads on after it, and does not report lost records', async () => {
    const damaged = recordOf(2, 21);
    damaged[damaged.length - 2]! ^= 1;
    const fetches = [Buffer.concat([recordOf(1, 20), damaged]), recordOf(2, 22)];
    const send = async ({ request }: { request: { apiKey: number } }): Promise<unknown> => {
      await sleep(1);
      // Leader epoch 1 has ended before the damaged batch.
      if (request.apiKey === 23) return [{ topic: 't', partition: 0, errorCode: 0, endOffset: 21 }];
      const bytes = fetches.shift() ?? Buffer.alloc(0);
      const partitions = [{ topic: 't', partition: 0, errorCode: 0, lastStable: 23, aborted: [], bytes }];
      return { errorCode: 0, sessionId: 0, partitions };
    };
    const client = {
      metadata: async () => new Map([['t', [{ partitionId: 0, leader: 0 }]]]),
      broker: async () => ({ connectionPool: { send } }),
    } as unknown as ClusterClient;
    const [read, gone]: [number[], string[]] = [[], []];
    fetcher = new Fetcher({
      ...{ client, bounds: defaultKafkaLogLimits, logger: silentLogger },
      outage: fetchOutage(silentLogger),
      onGone: (_buffer, why) => void gone.push(why),
      onFatal: (error) => expect.fail(String(error)),
    });
    const buffer = new PartitionBuffer({
      ...{ topic: 't', partition: 0, from: 20, read: { offset: 20, leaderEpoch: 1 } },
      deliver: async ({ records }) => void read.push(...records.map(({ offset }) => offset)),
      onError: () => undefined,
    });
    fetcher.add(buffer);
    await expect.poll(() => [read, gone], { timeout: 5_000 }).toEqual([[20, 22], []]);
    expect(buffer.epochs.last).toEqual({ offset: 23, leaderEpoch: 2 });
  });
});

/** Encodes a batch of one record. */
function recordOf(leaderEpoch: number, offset: number): Buffer {
  const out = new GrowingBuffer(100);
  const writer = { producerId: -1n, producerEpoch: -1, firstSequence: -1, now: 0 };
  writeRecordBatch(out, [{ key: 'k', value: 'v', timestamp: 1 }], writer);
  const batch = Buffer.from(out.filled());
  batch.writeBigInt64BE(BigInt(offset), 0);
  batch.writeInt32BE(leaderEpoch, 12);
  return batch;
}

function bufferOf(partition: number): PartitionBuffer {
  const deliver = async (): Promise<void> => undefined;
  return new PartitionBuffer({ ...{ topic: 't', partition, from: 0, deliver }, onError: () => undefined });
}
