import { join } from 'node:path';
import { createStream, eachRun, partitions, observed, withStack, type BenchContext } from '../bench.js';
import type { ProduceJob } from '../baselines/kafkajs-produce.js';
import { installKafkaTools, producerPerformance } from '../baselines/producer-performance.js';
import { runChild } from '../child.js';
import { runClosedLoop } from '../load/start.js';
import { goal, ratioOf, type MeasuredFigure } from '../report.js';

const defaultEvents = 500_000;
const warmUpEvents = 100_000;

/**
 * P1: batches of 500 on 4 connections, compared with kafkajs alone and with Kafka's own producer, using the same
 * events.
 */
export async function batches(bench: BenchContext): Promise<MeasuredFigure[]> {
  const toolsFolder = join(bench.keptFolder, 'kafka-tools');
  await installKafkaTools(toolsFolder);
  const runs = await withStack(bench, async (stack) => {
    await stack.materializer.stop();
    return eachRun(bench, async (run) => {
      const topic = `${stack.prefix}alone-${run}`;
      const alone = await kafkajsAlone(bench, topic);
      const own = await producerPerformance({ ...bench, toolsFolder, topic, ...sizeOf(bench) });
      const stream = `batches-${run}`;
      await createStream(stack, stream);
      const http = await observed(bench, stack, () => ingest(bench, stack.urls.ingest, { stream }));
      const lines = await observed(bench, stack, () =>
        ingest(bench, stack.urls.ingest, { stream, raw: true }),
      );
      return { alone, own, http, lines };
    });
  });
  const figures = runs.map(({ http }) => http.result.eventsPerSecond);
  const row: MeasuredFigure = {
    measure: 'P1',
    what: 'HTTP ingest, batches of 500, 4 connections',
    unit: 'events/s',
    runs: figures,
    baseline: { what: 'kafkajs alone', runs: runs.map(({ alone }) => alone) },
    details: { loads: runs.map(({ http }) => http) },
  };
  const ofKafka: MeasuredFigure = {
    measure: 'P1',
    what: 'the same',
    unit: 'events/s',
    runs: figures,
    baseline: { what: 'ProducerPerformance', runs: runs.map(({ own }) => own) },
  };
  const raw: MeasuredFigure = {
    measure: 'P1',
    what: 'the same as lines to `raw`, type and entity by pointers',
    unit: 'events/s',
    runs: runs.map(({ lines }) => lines.result.eventsPerSecond),
    baseline: { what: 'as batches', runs: figures },
  };
  return [
    {
      ...row,
      must: goal(ratioOf(row), { atLeast: 0.8 }, '×'),
      aim: goal(ratioOf(row), { atLeast: 1.5 }, '×'),
    },
    { ...ofKafka, aim: goal(ratioOf(ofKafka), { atLeast: 0.5 }, '×') },
    { ...raw, must: goal(ratioOf(raw), { atLeast: 0.9 }, '×') },
  ];
}

function sizeOf(bench: BenchContext): { brokers: string[]; events: number } {
  return { brokers: bench.engines.brokers.split(','), events: bench.options.events ?? defaultEvents };
}

async function kafkajsAlone(bench: BenchContext, topic: string): Promise<number> {
  const job: ProduceJob = {
    ...sizeOf(bench),
    topic,
    partitions,
    payloadFile: bench.payloadFile,
    warmUpEvents,
    batchSize: 1000,
    concurrency: 2,
  };
  const { recordsPerSecond } = await runChild<{ recordsPerSecond: number }>(
    'baselines/kafkajs-produce.js',
    job,
  );
  return recordsPerSecond;
}

function ingest(bench: BenchContext, url: string, what: { stream: string; raw?: boolean }) {
  const { events } = sizeOf(bench);
  return runClosedLoop({
    ...what,
    urls: [url],
    connections: 4,
    batchSize: 500,
    events,
    warmUpEvents,
    seed: 1,
  });
}
