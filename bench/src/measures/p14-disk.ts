import { canCompressWithZstd, kafkaCompressions } from '#api';
import type { KafkaCompression } from '#kafka';
import { topicOf, type TestSystem } from '#testkit';
import { createStream, eachRun, observed, withStack, type BenchContext } from '../bench.js';
import { runChild } from '../child.js';
import { runClosedLoop, runPaced } from '../load/start.js';
import { goal, ratioOf, type MeasuredFigure } from '../report.js';
import type { TopicBytesJob } from '../topic-bytes.js';
import { drainOnce } from './p3-drain.js';

const defaultEvents = 300_000;
const warmUpEvents = 50_000;
const singlesPerSecond = 200;
const singlesSeconds = 15;

/** What one system, whose ingest compresses in one way, needs for the workload. */
interface Written {
  /** Bytes on Kafka's disk for each event, sent in batches of 500 and as single events. */
  batchBytes: number;
  singleBytes: number;
  eventsPerSecond: number;
  /** Processor time of ingest, in µs for each event. */
  ingestMicros: number;
  /** Events per second at which the materializer drains the batches. */
  drained: number;
}

type Figure = keyof Written;

/**
 * P14: Kafka's disk for the workload with each compression, as a ratio to none, and what it costs: P1 and P3. Each
 * compression has a system of its own in each run; every second run has them in the opposite order.
 */
export async function disk(bench: BenchContext): Promise<MeasuredFigure[]> {
  const others = kafkaCompressions.filter(
    (name) => name !== 'none' && (name !== 'zstd' || canCompressWithZstd),
  );
  const compressions: KafkaCompression[] = ['none', ...others];
  const runs = await eachRun(bench, async (run) => {
    const written = {} as Record<KafkaCompression, Written>;
    const order = run % 2 ? compressions : [...compressions].reverse();
    for (const compression of order) {
      const env = { KAFKA_COMPRESSION: compression };
      written[compression] = await withStack(bench, (stack) => write(bench, stack), { env });
      bench.say(`${compression}: ${JSON.stringify(written[compression])}`);
    }
    return written;
  });
  const rowOf = (
    compression: KafkaCompression,
    figure: Figure,
    row: Pick<MeasuredFigure, 'what' | 'unit'>,
  ) => ({
    measure: 'P14',
    ...row,
    runs: runs.map((run) => run[compression][figure]),
    baseline: { what: 'none', runs: runs.map((run) => run.none[figure]) },
  });
  return others.flatMap((compression) => {
    const bytes = rowOf(compression, 'batchBytes', {
      what: `${compression}, batches of 500`,
      unit: 'bytes/event',
    });
    const rate = rowOf(compression, 'eventsPerSecond', { what: `${compression}, P1`, unit: 'events/s' });
    const ratio = ratioOf(bytes);
    return [
      { ...bytes, must: goal(ratio, { below: 0.1 }, '×'), aim: goal(ratio, { below: 0.08 }, '×') },
      rowOf(compression, 'singleBytes', {
        what: `${compression}, single events at ${singlesPerSecond}/s`,
        unit: 'bytes/event',
      }),
      { ...rate, must: goal(ratioOf(rate), { atLeast: 0.9 }, '×'), details: { runs } },
      rowOf(compression, 'ingestMicros', {
        what: `${compression}, processor time of ingest`,
        unit: 'µs/event',
      }),
      rowOf(compression, 'drained', { what: `${compression}, P3`, unit: 'events/s' }),
    ];
  });
}

async function write(bench: BenchContext, stack: TestSystem): Promise<Written> {
  await stack.materializer.stop();
  const events = bench.options.events ?? defaultEvents;
  await createStream(stack, 'batches');
  const load = { stream: 'batches', urls: [stack.urls.ingest], connections: 4, batchSize: 500 };
  await runClosedLoop({ ...load, events: warmUpEvents, warmUpEvents: 0, seed: 2 });
  const { result, cpuSeconds } = await observed(bench, stack, () =>
    runClosedLoop({ ...load, events, warmUpEvents: 0, seed: 1 }),
  );
  const batchBytes = (await bytesOf(bench, stack, 'batches')) / (events + warmUpEvents);
  const { eventsPerSecond: drained } = await drainOnce(bench, stack, { stream: 'batches' });
  await stack.materializer.stop();
  return {
    batchBytes,
    singleBytes: await singles(bench, stack),
    eventsPerSecond: result.eventsPerSecond,
    ingestMicros: (cpuSeconds['ingest']! * 1e6) / events,
    drained,
  };
}

/** Returns Kafka's bytes for each event at a low rate, at which most record batches have one event. */
async function singles(bench: BenchContext, stack: TestSystem): Promise<number> {
  const stream = 'singles';
  await createStream(stack, stream);
  await runPaced({
    ...{ writeUrl: stack.urls.ingest, readUrl: stack.urls.query, stream, batchSize: 1, connections: 16 },
    ...{ eventsPerSecond: singlesPerSecond, seconds: singlesSeconds, probes: false, seed: 1 },
  });
  return (await bytesOf(bench, stack, stream)) / (singlesPerSecond * singlesSeconds);
}

async function bytesOf(bench: BenchContext, stack: TestSystem, stream: string): Promise<number> {
  const job: TopicBytesJob = {
    brokers: bench.engines.brokers.split(','),
    topic: await topicOf(stack, stream),
  };
  return (await runChild<{ bytes: number }>('topic-bytes.js', job)).bytes;
}
