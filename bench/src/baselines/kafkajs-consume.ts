// kafkajs as published, and nothing of ours: how fast it alone reads a topic that is there.
import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';

/** What this program is told. */
export interface ConsumeJob {
  brokers: string[];
  topic: string;
  /** Records to read; the topic has at least as many. */
  events: number;
}

const job = JSON.parse(process.argv[2]!) as ConsumeJob;
const kafka = new Kafka({ brokers: job.brokers, logLevel: logLevel.NOTHING });
const consumer = kafka.consumer({ groupId: `bench-${randomUUID()}`, maxWaitTimeInMs: 100 });
await consumer.connect();
await consumer.subscribe({ topic: job.topic, fromBeginning: true });

let read = 0;
let bytes = 0;
let startedAt = 0;
const seconds = await new Promise<number>((resolve) => {
  void consumer.run({
    autoCommit: false,
    eachBatch: async ({ batch }) => {
      // The first batch starts the clock: joining a group is not reading.
      if (startedAt === 0) startedAt = performance.now();
      else read += batch.messages.length;
      for (const message of batch.messages) bytes += message.value?.length ?? 0;
      if (read >= job.events * 0.95) resolve((performance.now() - startedAt) / 1000);
    },
  });
});
process.send!({ recordsPerSecond: read / seconds, bytes });
await consumer.disconnect();
process.disconnect();
