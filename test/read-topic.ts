import { Kafka, logLevel, type Producer } from 'kafkajs';

/** A Kafka record whose key, value and headers are text. */
interface RawRecord {
  key: string | null;
  value: string | null;
  headers: Record<string, string | undefined>;
}

/** Reads the first records of a topic, without the code of `#kafka`. @throws if they do not arrive within 20 s */
export async function readTopic(brokers: string, topic: string, count: number): Promise<RawRecord[]> {
  const consumer = kafka(brokers).consumer({
    groupId: `test-reader-${topic}-${Date.now()}`,
    maxWaitTimeInMs: 100,
  });
  const records: RawRecord[] = [];
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  try {
    await new Promise<void>((resolve, reject) => {
      setTimeout(
        () => reject(new Error(`${topic} has ${records.length} of ${count} records`)),
        20_000,
      ).unref();
      const eachMessage = async ({ message }: { message: Parameters<typeof toRecord>[0] }) => {
        records.push(toRecord(message));
        if (records.length === count) resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
  } finally {
    await consumer.disconnect();
  }
  return records;
}

/** Writes records directly to a topic, without the write ports, like a faulty or foreign producer. */
export async function putIntoTopic(
  brokers: string,
  topic: string,
  messages: Parameters<Producer['send']>[0]['messages'],
): Promise<void> {
  const producer = kafka(brokers).producer({ allowAutoTopicCreation: false });
  await producer.connect();
  try {
    await producer.send({ topic, messages, acks: -1 });
  } finally {
    await producer.disconnect();
  }
}

function kafka(brokers: string): Kafka {
  return new Kafka({ clientId: 'test', brokers: brokers.split(','), logLevel: logLevel.NOTHING });
}

function toRecord(message: {
  key: Buffer | null;
  value: Buffer | null;
  headers?: Record<string, Buffer | string | (Buffer | string)[] | undefined>;
}): RawRecord {
  const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, value?.toString()]);
  return {
    key: message.key?.toString() ?? null,
    value: message.value?.toString() ?? null,
    headers: Object.fromEntries(headers) as Record<string, string | undefined>,
  };
}
