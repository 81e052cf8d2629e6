import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { SendBatch, type TopicPartitionAnswer } from '../produce/send-batch.js';
import { PendingAppend } from '../produce/pending-append.js';
import type { PartitionRecords } from '../produce/partition-records.js';
import './internals.js';
import { patchProduceResponses, type ProducingBroker } from './produce-responses.js';

type Request = Parameters<ProducingBroker['produce']>[0];

const require = createRequire(import.meta.url);
const createSendMessages = require('kafkajs/src/producer/sendMessages') as (options: object) => Send;
const createEosManager = require('kafkajs/src/producer/eosManager') as (options: object) => EosManager;

type Send = (batch: object) => Promise<TopicPartitionAnswer[]>;
interface EosManager {
  initProducerId(): Promise<void>;
}

const logger = { debug: () => undefined, error: () => undefined };

/** A broker that writes the records of a request at once, but responds only when the spec allows it. */
class HandBroker {
  readonly written: number[] = [];
  refusing = false;
  answer: Promise<void> = Promise.resolve();

  constructor(readonly nodeId: number) {}

  async produce({ topicData }: Request): Promise<Awaited<ReturnType<ProducingBroker['produce']>>> {
    if (this.refusing) throw Object.assign(new Error('not the leader'), { retriable: true });
    const topics = topicData.map(({ topic, partitions }) => ({
      topicName: topic,
      partitions: partitions.filter(isWritten).map(({ partition }) => {
        this.written.push(partition);
        return { partition, errorCode: 0, baseOffset: '7' };
      }),
    }));
    await this.answer;
    return { topics };
  }
}
patchProduceResponses(HandBroker);

function isWritten(entry: Request['topicData'][number]['partitions'][number]): boolean {
  const { messages, firstSequence } = entry as unknown as {
    messages: PartitionRecords;
    firstSequence: number;
  };
  return !messages.isRenumbered(firstSequence);
}

/** Returns the send function of kafkajs with two brokers: broker n leads partition n. */
async function given(): Promise<{ brokers: HandBroker[]; send: (retries: () => void) => Send }> {
  const brokers = [new HandBroker(0), new HandBroker(1)];
  const cluster = {
    ...{ targetTopics: new Set(), isConnected: () => true, addMultipleTargetTopics: async () => undefined },
    ...{ refreshMetadata: async () => undefined, refreshMetadataIfNecessary: async () => undefined },
    findTopicPartitionMetadata: () => [0, 1].map((partitionId) => ({ partitionId, leader: partitionId })),
    findLeaderForPartitions: () => ({ 0: [0], 1: [1] }),
    findBroker: async ({ nodeId }: { nodeId: string }) => brokers[Number(nodeId)],
    findControllerBroker: async () => ({
      initProducerId: async () => ({ producerId: 1, producerEpoch: 0 }),
    }),
  };
  const eosManager = createEosManager({ logger, cluster, transactional: false });
  await eosManager.initProducerId();
  const send = (retries: () => void): Send =>
    createSendMessages({ logger, cluster, eosManager, retrier: triedTwice(retries) });
  return { brokers, send };
}

function triedTwice(beforeSecond: () => void): (run: (bail: (error: unknown) => void) => unknown) => unknown {
  const bail = (error: unknown): void => {
    throw error;
  };
  return async (run) => {
    try {
      return await run(bail);
    } catch {
      beforeSecond();
      return run(bail);
    }
  };
}

describe('a send that one broker rejects before another has responded', () => {
  it('is retried, and returns the positions of records that the first try has written', async () => {
    const { brokers, send } = await given();
    const [refusing, slow] = brokers as [HandBroker, HandBroker];
    let answer: () => void = () => undefined;
    slow.answer = new Promise((resolve) => (answer = resolve));
    refusing.refusing = true;
    const batch = batchOf([0, 1]);
    const written = await send(() => {
      refusing.refusing = false;
      setImmediate(() => answer());
    })({ acks: -1, timeout: 1000, topicMessages: batch.toTopicMessages() });
    batch.written(written);
    expect([refusing.written, slow.written, batch.skipped]).toEqual([[0], [1], true]);
  });
});

function batchOf(partitions: number[]): SendBatch {
  const batch = new SendBatch({ sendRecords: 10, sendBytes: 1000, partitionBatchBytes: 1000 });
  const append = new PendingAppend(
    partitions.map((partition) => ({ topic: 't', partition, key: 'k', value: 'v' })),
    Infinity,
  );
  partitions.forEach((partition, index) => {
    append.partitions[index] = partition;
    batch.add(append, index, 2);
  });
  return batch;
}
