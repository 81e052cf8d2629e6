// Measures how fast unpatched kafkajs produces the same events on the same broker, without code of this project.
import { CompressionTypes, Kafka, logLevel, type Message } from 'kafkajs';
import { readFileSync } from 'node:fs';

/** Input of the program that writes the workload's events with unpatched kafkajs. */
export interface ProduceJob {
  brokers: string[];
  topic: string;
  partitions: number;
  /** A file with one event on each line. */
  payloadFile: string;
  events: number;
  warmUpEvents: number;
  batchSize: number;
  /** The number of concurrent `send` calls. */
  concurrency: number;
}

const job = JSON.parse(process.argv[2]!) as ProduceJob;
const kafka = new Kafka({ brokers: job.brokers, logLevel: logLevel.NOTHING });
const admin = kafka.admin();
await admin.connect();
await admin.createTopics({
  topics: [{ topic: job.topic, numPartitions: job.partitions }],
  waitForLeaders: true,
});
await admin.disconnect();

const messages: Message[] = readFileSync(job.payloadFile, 'utf8')
  .trimEnd()
  .split('\n')
  .map((value) => ({ key: (JSON.parse(value) as { entity_id: string }).entity_id, value }));
const batches = Array.from({ length: Math.floor(messages.length / job.batchSize) }, (_, index) =>
  messages.slice(index * job.batchSize, (index + 1) * job.batchSize),
);
const producer = kafka.producer({ idempotent: true, allowAutoTopicCreation: false });
await producer.connect();
await produce(job.warmUpEvents);
const startedAt = performance.now();
await produce(job.events);
const seconds = (performance.now() - startedAt) / 1000;
await producer.disconnect();
process.send!({ recordsPerSecond: job.events / seconds });
process.disconnect();

async function produce(events: number): Promise<void> {
  const count = Math.ceil(events / job.batchSize);
  let next = 0;
  const sendNext = async (): Promise<void> => {
    while (next < count) {
      const batch = batches[next++ % batches.length]!;
      await producer.send({
        topic: job.topic,
        acks: -1,
        compression: CompressionTypes.None,
        messages: batch,
      });
    }
  };
  await Promise.all(Array.from({ length: job.concurrency }, sendNext));
}
