import { afterEach, describe, expect, it } from 'vitest';
import {
  ProducerBufferFullError,
  LogUnavailableError,
  RecordTooLargeError,
  UnknownTopicError,
} from '../../errors.js';
import type { ProducerRecord } from '../../log.js';
import { PendingAppend } from './pending-append.js';
import { KafkaProducer } from './kafka-producer.js';
import type { GroupedRecords } from './partition-records.js';
import { ProducerShard, type ProducerShardOptions } from './producer-shard.js';
import type { KafkajsProducer, TopicPartitionAnswer } from './send-batch.js';
import type { TopicMetadataCache } from './topic-metadata-cache.js';

interface Sent {
  values: string[];
  answer(): void;
  fail(error: Error): void;
}

/**
 * Fake of Kafka behind the producer of a shard: every topic has one partition. The fake acknowledges a batch at once,
 * or, if `answersAtOnce` is false, when the spec calls `answer` or `fail` of the sent batch.
 */
class HandBroker {
  readonly sent: Sent[] = [];
  connections = 0;
  refusing = false;
  forgetting = false;
  answersAtOnce = true;
  /** Sequence numbers of the tries of a send, as kafkajs counts them. */
  sequences = [0];
  gone = new Set<string>();
  private readonly ends = new Map<string, number>();

  create(): KafkajsProducer {
    return {
      connect: async () => {
        if (this.refusing) throw new Error('refused');
        this.connections++;
      },
      disconnect: async () => undefined,
      sendBatch: (batch) => this.take(batch.topicMessages as { topic: string; messages: GroupedRecords }[]),
    };
  }

  private take(topics: { topic: string; messages: GroupedRecords }[]): Promise<TopicPartitionAnswer[]> {
    for (const sequence of this.sequences) {
      for (const { messages } of topics) messages.byPartition[0]?.isRenumbered(sequence);
    }
    return new Promise((resolve, reject) => {
      const records = topics.flatMap(({ messages }) =>
        Object.values(messages.byPartition).flatMap((p) => p.records),
      );
      const answer = (): void =>
        resolve(this.forgetting ? [] : topics.map(({ topic, messages }) => this.write(topic, messages)));
      this.sent.push({ values: records.map(({ value }) => String(value)), answer, fail: reject });
      if (this.answersAtOnce) answer();
    });
  }

  private write(topicName: string, messages: GroupedRecords): TopicPartitionAnswer {
    const baseOffset = this.ends.get(topicName) ?? 0;
    this.ends.set(topicName, baseOffset + (messages.byPartition[0]?.length ?? 0));
    return { topicName, partition: 0, errorCode: 0, baseOffset: String(baseOffset) };
  }
}

const records = (...values: string[]): ProducerRecord[] =>
  values.map((value) => ({ topic: 't', key: 'k', value }));
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));
const shards: ProducerShard[] = [];

function shardOn(broker: HandBroker, options: Partial<ProducerShardOptions> = {}): ProducerShard {
  const shard = new ProducerShard({
    sendRecords: 1000,
    sendBytes: 1_000_000,
    partitionBatchBytes: 100_000,
    lingerMs: 0,
    requestTimeoutMs: 1000,
    createProducer: () => broker.create(),
    metadata: { get: () => 1, forget: () => undefined, exists: async (topic) => !broker.gone.has(topic) },
    ...options,
  });
  shards.push(shard);
  return shard;
}

function append(shard: ProducerShard, what: ProducerRecord[], deadlineMs = 5_000): PendingAppend {
  const call = new PendingAppend(what, Date.now() + deadlineMs);
  call.result.catch(() => undefined);
  shard.push(call);
  return call;
}

afterEach(async () => {
  await Promise.all(shards.splice(0).map((shard) => shard.close()));
});

describe('a producer shard', () => {
  it('sends records of one event-loop turn as one request', async () => {
    const broker = new HandBroker();
    const shard = shardOn(broker);
    const calls = [append(shard, records('a', 'b')), append(shard, records('c'))];
    expect(await Promise.all(calls.map(({ result }) => result))).toEqual([
      [
        { partition: 0, offset: 0 },
        { partition: 0, offset: 1 },
      ],
      [{ partition: 0, offset: 2 }],
    ]);
    expect(broker.sent.map(({ values }) => values)).toEqual([['a', 'b', 'c']]);
  });

  it('has one request in flight, and collects records that arrive meanwhile', async () => {
    const broker = new HandBroker();
    broker.answersAtOnce = false;
    const shard = shardOn(broker);
    const first = append(shard, records('a'));
    await soon();
    const rest = [append(shard, records('b')), append(shard, records('c'))];
    await soon();
    expect(broker.sent).toHaveLength(1);
    broker.answersAtOnce = true;
    broker.sent[0]?.answer();
    await Promise.all([first, ...rest].map(({ result }) => result));
    expect(broker.sent.map(({ values }) => values)).toEqual([['a'], ['b', 'c']]);
  });

  it('fails a batch for which the client throws at once, and sends the next one', async () => {
    const broker = new HandBroker();
    let throwing = true;
    const create = (): KafkajsProducer => {
      const producer = broker.create();
      return {
        ...producer,
        sendBatch: (batch) => {
          if (!throwing) return producer.sendBatch(batch);
          throw new TypeError('of the client');
        },
      };
    };
    const shard = shardOn(broker, { createProducer: create });
    await expect(append(shard, records('a')).result).rejects.toThrow('of the client');
    throwing = false;
    expect(await append(shard, records('b')).result).toEqual([{ partition: 0, offset: 0 }]);
  });

  it('sends records that arrive at the moment when it becomes idle', async () => {
    const shard = shardOn(new HandBroker());
    for (let turns = 0; turns < 12; turns++) {
      await append(shard, records('a')).result;
      for (let i = 0; i < turns; i++) await Promise.resolve();
      expect(await append(shard, records('b'), 1_000).result).toHaveLength(1);
      await soon();
    }
  });

  it('keeps a partition batch below its limit, and keeps the order of its records', async () => {
    const broker = new HandBroker();
    const shard = shardOn(broker, { partitionBatchBytes: 300 });
    const call = append(shard, records('a'.repeat(100), 'b'.repeat(100), 'c'.repeat(400), 'd'));
    const positions = await call.result;
    expect(positions.map(({ offset }) => offset)).toEqual([0, 1, 2, 3]);
    const sent = broker.sent.map(({ values }) => values.map((value) => value[0]).join(''));
    expect(sent).toEqual(['ab', 'c', 'd']);
  });

  it('replaces its producer after a request that omitted records because of their sequence number', async () => {
    const broker = new HandBroker();
    const shard = shardOn(broker);
    await append(shard, records('a')).result;
    expect(broker.connections).toBe(1);
    broker.sequences = [3, 4];
    await append(shard, records('b')).result;
    broker.sequences = [0];
    await append(shard, records('c')).result;
    expect(broker.connections).toBe(2);
  });

  it('replaces its producer after a failed request, because its sequence numbers are no longer reliable', async () => {
    const broker = new HandBroker();
    broker.answersAtOnce = false;
    const shard = shardOn(broker);
    const failed = append(shard, records('a'));
    await soon();
    broker.sent[0]?.fail(new Error('OUT_OF_ORDER_SEQUENCE_NUMBER'));
    await expect(failed.result).rejects.toThrow(LogUnavailableError);
    broker.answersAtOnce = true;
    expect(await append(shard, records('b')).result).toEqual([{ partition: 0, offset: 0 }]);
    expect(broker.connections).toBe(2);
  });

  it('rejects an append if the response omits its partition', async () => {
    const broker = new HandBroker();
    broker.forgetting = true;
    const shard = shardOn(broker);
    await expect(append(shard, records('a')).result).rejects.toThrow(LogUnavailableError);
  });

  it('gives up a request that is not answered in time, and continues with a new producer', async () => {
    const broker = new HandBroker();
    broker.answersAtOnce = false;
    const shard = shardOn(broker);
    await expect(append(shard, records('a'), 100).result).rejects.toThrow(LogUnavailableError);
    broker.answersAtOnce = true;
    await append(shard, records('b')).result;
    expect(broker.sent.map(({ values }) => values)).toEqual([['a'], ['b']]);
  });

  it('recovers when the broker returns, and does not send expired appends', async () => {
    const broker = new HandBroker();
    broker.refusing = true;
    const shard = shardOn(broker);
    const late = append(shard, records('late'), 100);
    const patient = append(shard, records('patient'), 10_000);
    await expect(late.result).rejects.toThrow(LogUnavailableError);
    broker.refusing = false;
    await patient.result;
    expect(broker.sent.map(({ values }) => values)).toEqual([['patient']]);
  });

  it('rejects an append to a removed topic instead of waiting for the topic', async () => {
    const broker = new HandBroker();
    broker.answersAtOnce = false;
    broker.gone.add('gone');
    const shard = shardOn(broker);
    const gone = append(shard, [{ topic: 'gone', key: 'k', value: 'a' }]);
    const other = append(shard, records('b'));
    await expect(gone.result).rejects.toThrow(UnknownTopicError);
    await expect(other.result).rejects.toThrow(LogUnavailableError);
  });
});

describe('the producer', () => {
  const metadata = {
    get: () => 1,
    load: async () => 1,
    close: async () => undefined,
  } as unknown as TopicMetadataCache;

  const limits = { bytesInFlight: 1e6, operationTimeoutMs: 5_000, sendRecords: 4, partitionBatchBytes: 1000 };

  it('rejects an append beyond the limit of bytes in flight, and accepts appends when there is room again', async () => {
    const broker = new HandBroker();
    broker.answersAtOnce = false;
    const shard = shardOn(broker);
    const producer = new KafkaProducer({
      shards: [shard],
      metadata,
      ...{ ...limits, bytesInFlight: 1000 },
    });
    const first = producer.append(records('a'.repeat(900)));
    await soon();
    expect(producer.bytesInFlight).toBeGreaterThan(900);
    await expect(producer.append(records('b'.repeat(200)))).rejects.toThrow(ProducerBufferFullError);
    broker.answersAtOnce = true;
    broker.sent[0]?.answer();
    await first;
    expect(producer.bytesInFlight).toBe(0);
    await producer.append(records('c'.repeat(200)));
    expect(broker.sent.map(({ values }) => values[0]?.[0])).toEqual(['a', 'c']);
  });

  it.each([
    ['has too many records', records('a', 'b', 'c', 'd', 'e')],
    ['is too large', records('a'.repeat(600), 'b'.repeat(600))],
  ])('rejects an atomic append that %s for one record batch, and writes nothing', async (_what, some) => {
    const broker = new HandBroker();
    const producer = new KafkaProducer({ ...limits, shards: [shardOn(broker)], metadata });
    await expect(producer.append(some, { atomic: true })).rejects.toThrow(RecordTooLargeError);
    expect(broker.sent).toEqual([]);
  });

  it('sends the records of an atomic append in one request', async () => {
    const broker = new HandBroker();
    const shard = shardOn(broker, { sendRecords: 4 });
    const producer = new KafkaProducer({ ...limits, shards: [shard], metadata });
    const atomic = (...values: string[]) => producer.append(records(...values), { atomic: true });
    await Promise.all([
      atomic('a', 'b'),
      atomic('c', 'd', 'e'),
      atomic('f'),
      producer.append(records('g', 'h')),
    ]);
    expect(broker.sent.map(({ values }) => values)).toEqual([
      ['a', 'b'],
      ['c', 'd', 'e', 'f'],
      ['g', 'h'],
    ]);
  });

  it('accepts one append that is larger than the limit if nothing else is in flight', async () => {
    const shard = shardOn(new HandBroker());
    const producer = new KafkaProducer({
      shards: [shard],
      metadata,
      ...{ ...limits, bytesInFlight: 10 },
    });
    expect(await producer.append(records('a'.repeat(100)))).toHaveLength(1);
  });

  it('delays appends to a topic that is not known yet, keeps their order, and delays no others', async () => {
    const broker = new HandBroker();
    const known = new Set(['t']);
    let found: () => void = () => undefined;
    const finding = new Promise<void>((resolve) => (found = resolve));
    const producer = new KafkaProducer({
      shards: [shardOn(broker)],
      metadata: {
        ...metadata,
        get: (topic: string) => (known.has(topic) ? 1 : undefined),
        load: (topic: string) => (known.has(topic) ? Promise.resolve(1) : finding),
      } as unknown as TopicMetadataCache,
      ...limits,
    });
    const to = (topic: string, value: string) => producer.append([{ topic, key: 'k', value }]);
    const late = [to('new', 'n1'), to('new', 'n2')];
    await to('t', 'a');
    expect(broker.sent.map(({ values }) => values)).toEqual([['a']]);
    known.add('new');
    late.push(to('new', 'n3'));
    found();
    await Promise.all(late);
    expect(broker.sent.flatMap(({ values }) => values)).toEqual(['a', 'n1', 'n2', 'n3']);
  });

  it('waits for all appends in flight when it is closed', async () => {
    const shard = shardOn(new HandBroker());
    const producer = new KafkaProducer({
      shards: [shard],
      metadata,
      ...limits,
    });
    const call = producer.append(records('a'));
    await producer.close();
    expect(await call).toHaveLength(1);
    await expect(producer.append(records('b'))).rejects.toThrow(LogUnavailableError);
  });
});
