import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  LogUnavailableError,
  openKafkaLog,
  type KafkaLogger,
  type Log,
  type Producer,
  type ProducerRecord,
  type RecordPosition,
} from '#kafka';
import { PrivateKafkaAndClickHouse, until } from '#testkit';
import { RecordingConsumer } from '../../packages/kafka/src/contract/recording-consumer.js';

const keys = 7;

/** Writes numbered records in successive appends, retries failed appends, and keeps the acknowledged positions. */
class Writer {
  readonly acknowledged = new Map<string, RecordPosition>();
  failures = 0;
  private stopped = false;
  private readonly running: Promise<void>;

  constructor(
    private readonly producer: Producer,
    private readonly topic: string,
  ) {
    this.running = this.run();
  }

  private async run(): Promise<void> {
    for (let round = 0; !this.stopped; round++) {
      const records = Array.from({ length: 20 }, (_, i) => this.record(round * 20 + i));
      await this.write(records);
      await sleep(1);
    }
  }

  private record(number: number): ProducerRecord {
    return { topic: this.topic, key: `k${number % keys}`, value: String(number) };
  }

  private async write(records: ProducerRecord[]): Promise<void> {
    for (;;) {
      try {
        const positions = await this.producer.append(records);
        records.forEach(({ value }, i) =>
          this.acknowledged.set(String(value), positions[i] as RecordPosition),
        );
        return;
      } catch (error) {
        if (!(error instanceof LogUnavailableError)) throw error;
        this.failures++;
        await sleep(50);
      }
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }
}

/** Compares the records that were read with those that were acknowledged. */
function check(
  writer: Writer,
  reader: RecordingConsumer,
): { lost: string[]; misplaced: string[]; reordered: string[] } {
  const at = new Map(reader.records.map((record) => [`${record.partition}/${record.offset}`, record]));
  const misplaced = [...writer.acknowledged].filter(
    ([value, { partition, offset }]) => at.get(`${partition}/${offset}`)?.value?.toString() !== value,
  );
  const seen = new Set(reader.values());
  const firsts = new Map<string, number[]>();
  const met = new Set<string>();
  for (const { key, value } of [...at.values()].sort((a, b) => a.offset - b.offset)) {
    const text = value?.toString() ?? '';
    if (met.has(text)) continue;
    met.add(text);
    const own = firsts.get(key?.toString() ?? '') ?? [];
    own.push(Number(text));
    firsts.set(key?.toString() ?? '', own);
  }
  const reordered = [...firsts].filter(([, numbers]) =>
    numbers.some((n, i) => i > 0 && n < (numbers[i - 1] ?? 0)),
  );
  return {
    lost: [...writer.acknowledged.keys()].filter((value) => !seen.has(value)),
    misplaced: misplaced.map(([value]) => value),
    reordered: reordered.map(([key]) => key),
  };
}

const clean = { lost: [], misplaced: [], reordered: [] };

/** Logger that keeps the last lines of the log clients, for diagnosis. */
class Journal implements KafkaLogger {
  private readonly lines: string[] = [];

  private add(level: string, details: object, message: string): void {
    const { err, ...rest } = details as { err?: Error };
    this.lines.push(
      `${new Date().toISOString()} ${level} ${message} ${JSON.stringify(rest)} ${err?.message ?? ''}`,
    );
    if (this.lines.length > 200) this.lines.shift();
  }

  error = (details: object, message: string): void => this.add('error', details, message);
  warn = (details: object, message: string): void => this.add('warn', details, message);
  info = (details: object, message: string): void => this.add('info', details, message);
  debug = (details: object, message: string): void => this.add('debug', details, message);

  tail(count: number): string {
    return this.lines.slice(-count).join('\n');
  }
}

/** Finds records that were acknowledged and have not been read; examines each read record once. */
class Missing {
  private looked = 0;
  private readonly seen = new Set<string>();

  constructor(
    private readonly writer: Writer,
    private readonly reader: RecordingConsumer,
  ) {}

  values(): string[] {
    const { records } = this.reader;
    for (; this.looked < records.length; this.looked++) this.seen.add(String(records[this.looked]?.value));
    return [...this.writer.acknowledged.keys()].filter((value) => !this.seen.has(value));
  }
}

describe('the log on a failing broker', () => {
  let engines: PrivateKafkaAndClickHouse;
  let log: Log;
  let producer: Producer;
  const journal = new Journal();

  beforeAll(async () => {
    engines = await PrivateKafkaAndClickHouse.prepare();
    await engines.startKafka();
    log = openKafkaLog({
      brokers: [engines.brokers],
      clientId: 'fault',
      replicationFactor: 1,
      logger: journal,
      bounds: {
        requestTimeoutMs: 2_000,
        operationTimeoutMs: 6_000,
        sessionTimeoutMs: 6_000,
        heartbeatMs: 500,
      },
    });
    producer = await log.producer();
  });

  afterAll(async () => {
    await log.close();
    await engines.stop();
  });

  /** Writes and reads while `fault` happens, and waits until all acknowledged records are read. */
  async function through(fault: () => Promise<void>): Promise<{ writer: Writer; reader: RecordingConsumer }> {
    const topic = `fault-${randomUUID()}`;
    await log.admin.create(topic, { partitions: 4 });
    const reader = new RecordingConsumer(log, randomUUID());
    await reader.consumer.subscribe([topic]);
    const table: string[] = [];
    const tableTopic = `table-${randomUUID()}`;
    await log.admin.create(tableTopic, { partitions: 1, config: { 'cleanup.policy': 'compact' } });
    const follower = log.tableReader(tableTopic, {
      record: ({ value }) => void table.push(value?.toString() ?? ''),
    });
    await follower.start();
    const writer = new Writer(producer, topic);
    const missing = new Missing(writer, reader);
    const diagnosis = async (): Promise<string> => {
      const absent = missing.values();
      const places = absent.slice(0, 10).map((value) => ({ value, ...writer.acknowledged.get(value) }));
      const ends = await log.admin.offsets(topic).catch(String);
      const { assignments, revoked, crashes } = reader;
      const state = {
        absent: absent.length,
        places,
        ends,
        assignments: assignments.length,
        revoked,
        crashes,
      };
      return `${JSON.stringify({ ...state, failures: writer.failures })}\n${journal.tail(60)}`;
    };
    const progress = (): string => `${writer.acknowledged.size} written, ${reader.records.length} read`;
    const moving = { progress, diagnosis };
    await until(() => reader.records.length > 200, { what: 'records before the fault', ...moving });
    await fault();
    const before = writer.acknowledged.size;
    const written = (): boolean => writer.acknowledged.size > before + 200;
    await until(written, { what: 'writing continues after the fault', ...moving });
    await writer.stop();
    await until(() => missing.values().length === 0, {
      what: 'reading continues after the fault',
      ...moving,
    });
    await producer.append([{ topic: tableTopic, key: 'a', value: 'after' }]);
    await until(() => table.includes('after'), {
      what: 'the table reader continues after the fault',
      diagnosis,
    });
    expect(reader.crashes).toEqual([]);
    await follower.close();
    await reader.consumer.close();
    return { writer, reader };
  }

  it('loses, moves and reorders no record when the broker is killed and restarted', async () => {
    const { writer, reader } = await through(async () => {
      await engines.killKafka();
      await sleep(1_000);
      await engines.startKafka();
    });
    expect(check(writer, reader)).toEqual(clean);
  });

  it('loses, moves and reorders no record when the broker hangs for longer than the request time-out', async () => {
    const { writer, reader } = await through(async () => {
      engines.kafkaProxy.stall('down');
      await sleep(9_000);
      engines.kafkaProxy.flow();
    });
    expect(writer.failures).toBeGreaterThan(0);
    expect(check(writer, reader)).toEqual(clean);
  });

  it('loses, moves and reorders no record when every connection is reset repeatedly', async () => {
    const { writer, reader } = await through(async () => {
      for (let i = 0; i < 8; i++) {
        engines.kafkaProxy.cut();
        await sleep(300);
      }
    });
    expect(check(writer, reader)).toEqual(clean);
  });

  it('reports in time that the log is unavailable, and recovers when the broker returns', async () => {
    const topic = `gone-${randomUUID()}`;
    await log.admin.create(topic, { partitions: 1 });
    await producer.append([{ topic, key: 'a', value: 'before' }]);
    await engines.killKafka();
    await expect(producer.append([{ topic, key: 'a', value: 'meanwhile' }])).rejects.toThrow(
      LogUnavailableError,
    );
    await expect(log.admin.ping()).rejects.toThrow(LogUnavailableError);
    expect(producer.bytesInFlight).toBe(0);
    await engines.startKafka();
    const answers = (): Promise<boolean> =>
      log.admin.ping().then(
        () => true,
        () => false,
      );
    await until(answers, { what: 'the broker answers' });
    await producer.append([{ topic, key: 'a', value: 'after' }]);
  });
});
