import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { defaultKafkaLogLimits } from '../cluster/kafka-log-options.js';
import type { KafkajsBroker } from '../kafkajs/internals.js';
import { silentLogger } from '../cluster/logger.js';
import { GrowingBuffer } from '../encoding/growing-buffer.js';
import { writeRecordBatch } from '../produce/record-batch.js';
import { fetchOutage } from './fetcher.js';
import { KafkaConsumer } from './kafka-consumer.js';

const never = new Promise<never>(() => undefined);
const listOffsets = 2;

/** Responds to ListOffsets requests with offset 0, and never to fetches. */
const send = async ({ request }: { request: { apiKey: number } }): Promise<unknown> =>
  request.apiKey === listOffsets ? [{ topic: 't', partition: 0, errorCode: 0, offset: 0 }] : never;

const unknownMember = Object.assign(new Error('unknown'), {
  ...{ name: 'KafkaJSProtocolError', type: 'UNKNOWN_MEMBER_ID' },
});

/** Responds like `send`, but the first fetch returns one record. */
function oneRecord(): typeof send {
  const out = new GrowingBuffer(100);
  const writer = { producerId: -1n, producerEpoch: -1, firstSequence: -1, now: 0 };
  writeRecordBatch(out, [{ key: 'k', value: 'v', timestamp: 1 }], writer);
  const answer = { topic: 't', partition: 0, errorCode: 0, lastStable: 1, aborted: [], bytes: out.filled() };
  const partitions = [answer];
  return async ({ request }) => {
    if (request.apiKey === listOffsets) return send({ request });
    await sleep(5);
    return { errorCode: 0, sessionId: 0, partitions: partitions.splice(0) };
  };
}

/** A cluster of one broker, with one topic of one partition and a group of one member. */
function clusterOf(heartbeat: () => Promise<unknown>, answer = send): ClusterClient {
  const memberId = 'm';
  const broker: Partial<KafkajsBroker> = {
    isConnected: () => true,
    joinGroup: async ({ groupProtocols: [protocol] }) => {
      const members = [{ memberId, memberMetadata: protocol!.metadata }];
      return { generationId: 1, leaderId: memberId, memberId, members };
    },
    syncGroup: async ({ groupAssignment: [own] }) => ({ memberAssignment: own!.memberAssignment }),
    heartbeat,
    leaveGroup: async () => undefined,
    offsetFetch: async () => ({ responses: [] }),
    connectionPool: { host: '', port: 0, send: answer as KafkajsBroker['connectionPool']['send'] },
  };
  const client: Partial<ClusterClient> = {
    metadata: async () => new Map([['t', [{ partitionErrorCode: 0, partitionId: 0, leader: 0 }]]]),
    coordinator: async () => broker as KafkajsBroker,
    broker: async () => broker as KafkajsBroker,
    close: async () => undefined,
  };
  return client as ClusterClient;
}

describe('a member of a group', () => {
  const open: KafkaConsumer[] = [];
  afterEach(async () => {
    for (const consumer of open.splice(0)) await consumer.close();
  });

  it('revokes its partitions when its session times out, even while a heartbeat hangs', async () => {
    let beats = 0;
    const client = clusterOf(() => (beats++ === 0 ? Promise.resolve() : never));
    const revoked = await new Promise((resolve) => {
      const consumer = new KafkaConsumer(
        {
          group: 'g',
          handler: {
            assigned: async ({ position }) => position,
            batch: async () => undefined,
            revoked: resolve,
          },
          onCrash: () => undefined,
        },
        {
          ...{
            client,
            fetching: client,
            joining: client,
            logger: silentLogger,
            outage: fetchOutage(silentLogger),
          },
          bounds: { ...defaultKafkaLogLimits, sessionTimeoutMs: 500, heartbeatMs: 10 },
        },
      );
      open.push(consumer);
      void consumer.subscribe(['t']);
    });
    expect([revoked, beats]).toEqual([{ topic: 't', partition: 0 }, 2]);
  });

  it('is assigned nothing more if the group fences it while it is being closed', async () => {
    const calls: string[] = [];
    let isClosing = false;
    const heartbeat = async (): Promise<void> => {
      if (isClosing) throw unknownMember;
    };
    let begun = (): void => undefined;
    let done = (): void => undefined;
    const working = new Promise<void>((resolve) => (done = resolve));
    const client = clusterOf(heartbeat, oneRecord());
    const consumer = new KafkaConsumer(
      {
        group: 'g',
        handler: {
          assigned: async ({ position }) => {
            calls.push('assigned');
            return position;
          },
          batch: async () => {
            begun();
            await working;
          },
          revoked: () => calls.push('revoked'),
        },
        onCrash: () => undefined,
      },
      {
        ...{
          client,
          fetching: client,
          joining: client,
          logger: silentLogger,
          outage: fetchOutage(silentLogger),
        },
        bounds: { ...defaultKafkaLogLimits, heartbeatMs: 10 },
      },
    );
    await new Promise<void>((resolve) => {
      begun = resolve;
      void consumer.subscribe(['t']);
    });
    isClosing = true;
    const closed = consumer.close();
    await expect.poll(() => calls).toContain('revoked');
    await sleep(100);
    done();
    await closed;
    expect(calls).toEqual(['assigned', 'revoked']);
  });
});
