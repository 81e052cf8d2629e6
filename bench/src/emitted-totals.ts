import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';
import { decodeRecord } from '#event';

/** Totals of the emitted events without duplicates: single orders, or windows of orders. */
interface EmittedTotals {
  events: number;
  orders: number;
  cents: number;
}

/** Reads the current content of a topic. */
export async function emittedTotals(brokers: string, topic: string): Promise<EmittedTotals> {
  const kafka = new Kafka({ brokers: brokers.split(','), logLevel: logLevel.NOTHING });
  const missing = await endsOf(kafka, topic);
  const totals: EmittedTotals = { events: 0, orders: 0, cents: 0 };
  if (missing.size === 0) return totals;
  const ids = new Set<string>();
  const consumer = kafka.consumer({ groupId: `bench-${randomUUID()}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  try {
    await consumer.subscribe({ topic, fromBeginning: true });
    await new Promise<void>((resolve, reject) => {
      consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
      const eachBatch = ({ batch: { partition, messages } }: EachBatch): Promise<void> => {
        for (const { value } of messages) add(totals, ids, value!);
        const next = Number(messages.at(-1)?.offset ?? -1) + 1;
        if (next >= (missing.get(partition) ?? 0)) missing.delete(partition);
        if (missing.size === 0) resolve();
        return Promise.resolve();
      };
      consumer.run({ autoCommit: false, eachBatch }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
  return totals;
}

interface EachBatch {
  batch: { partition: number; messages: { offset: string; value: Buffer | null }[] };
}

/** Returns the end offsets of non-empty partitions. */
async function endsOf(kafka: Kafka, topic: string): Promise<Map<number, number>> {
  const admin = kafka.admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topic).finally(() => admin.disconnect());
  const filled = offsets.filter(({ high, low }) => Number(high) > Number(low));
  return new Map(filled.map(({ partition, high }) => [partition, Number(high)]));
}

function add(totals: EmittedTotals, ids: Set<string>, value: Buffer): void {
  const { event_id, data } = decodeRecord(value);
  if (ids.has(event_id)) return;
  ids.add(event_id);
  const { amount, orders = 1, total = amount! } = JSON.parse(data) as Partial<Record<string, number>>;
  totals.events++;
  totals.orders += orders;
  totals.cents += Math.round(total * 100);
}
