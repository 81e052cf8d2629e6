// Measures how fast unpatched kafkajs reads an existing topic, without code of this project.
import { randomUUID } from 'node:crypto';
import { Kafka, logLevel } from 'kafkajs';

/** Input of the program that reads a topic with unpatched kafkajs. */
export interface ConsumeJob {
  brokers: string[];
  topic: string;
  /** The number of records to read; the topic has at least as many. */
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
      // The measurement starts with the first batch, because joining the consumer group is not part of reading.
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
