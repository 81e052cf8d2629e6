import { type TestSystem, topicOf } from '#testkit';
import { bareInsert } from '../baselines/bare-insert.js';
import type { ConsumeJob } from '../baselines/kafkajs-consume.js';
import { createStream, eachRun, observed, withStack, type BenchContext } from '../bench.js';
import { runChild } from '../child.js';
import { GroupProgressPoller } from '../group-progress.js';
import { runClosedLoop } from '../load/start.js';
import { goal, ratioOf, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';

const defaultEvents = 1_000_000;

export interface DrainResult {
  eventsPerSecond: number;
  /** Seconds from the start of the process until all records were committed. */
  secondsWithStart: number;
  /** Processor seconds of each app while it drained the backlog. */
  cpuSeconds: Record<string, number>;
}

/**
 * P3: a backlog is written while the materializer is stopped; then it starts. The rate is measured between the first
 * observed commit and the last one, so it excludes the start of the process. Each run has a system of its own,
 * because a starting materializer reads the id window of every stream again, including streams of earlier
 * runs.
 */
export async function drain(bench: BenchContext): Promise<MeasuredFigure[]> {
  const events = bench.options.events ?? defaultEvents;
  const runs = await eachRun(bench, () =>
    withStack(bench, async (stack) => {
      const stream = 'backlog';
      await fill(stack, stream, events);
      const drained = await drainOnce(bench, stack, { stream });
      const source = { server: bench.engines, database: stack.database, stream };
      const bare = await bareInsert(source);
      const job: ConsumeJob = {
        brokers: bench.engines.brokers.split(','),
        topic: await topicOf(stack, stream),
        events,
      };
      const read = await runChild<{ recordsPerSecond: number }>('baselines/kafkajs-consume.js', job);
      return { drained, bare, read: read.recordsPerSecond };
    }),
  );
  const rates = runs.map(({ drained }) => drained.eventsPerSecond);
  const row: MeasuredFigure = {
    measure: 'P3',
    what: `draining a backlog of ${events}`,
    unit: 'events/s',
    runs: rates,
    baseline: { what: 'bare insert, RowBinary', runs: runs.map(({ bare }) => bare.rowBinary) },
    must: goal(median(rates), { atLeast: 60_000 }),
    details: { drained: runs.map(({ drained }) => drained) },
  };
  const baselines = {
    'bare insert, JSONEachRow': runs.map(({ bare }) => bare.jsonEachRow),
    'kafkajs alone, consuming': runs.map(({ read }) => read),
  };
  return [
    row,
    {
      ...row,
      what: 'the same',
      must: goal(ratioOf(row), { atLeast: 0.6 }, '×'),
      aim: goal(ratioOf(row), { atLeast: 0.9 }, '×'),
    },
    ...Object.entries(baselines).map(([what, values]) => ({
      ...row,
      what: 'the same',
      must: undefined,
      baseline: { what, runs: values },
      details: undefined,
    })),
  ];
}

/** Stops the materializers, and writes a backlog of events. */
export async function fill(stack: TestSystem, stream: string, events: number): Promise<void> {
  for (const one of stack.materializers) if (one.running) await one.stop();
  await createStream(stack, stream);
  await runClosedLoop({
    urls: [stack.urls.ingest],
    stream,
    connections: 4,
    batchSize: 500,
    events,
    warmUpEvents: 0,
    seed: 3,
  });
}

/** Starts the materializers, with these settings in addition, and measures until the backlog is stored. */
export async function drainOnce(
  bench: BenchContext,
  stack: TestSystem,
  { stream, env = {} }: { stream: string; env?: Record<string, string> },
): Promise<DrainResult> {
  const progress = await GroupProgressPoller.open({
    brokers: bench.engines.brokers,
    group: stack.topics.materializerGroup,
    topic: await topicOf(stack, stream),
  });
  try {
    const startedAt = performance.now();
    for (const one of stack.materializers) one.launch(env);
    const first = await progress.past(0);
    const { result: last, cpuSeconds } = await observed(bench, stack, () => progress.past(progress.end - 1));
    return {
      eventsPerSecond: ((last.committed - first.committed) * 1000) / (last.at - first.at),
      secondsWithStart: (last.at - startedAt) / 1000,
      cpuSeconds,
    };
  } finally {
    await progress.close();
  }
}
