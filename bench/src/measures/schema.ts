import { setTimeout as sleep } from 'node:timers/promises';
import type { TestSystem } from '#testkit';
import { createStream, eachRun, observed, withStack, type BenchContext } from '../bench.js';
import type { ClosedLoopResult } from '../load/job.js';
import { runClosedLoop } from '../load/start.js';
import { goal, ratioOf, type MeasuredFigure } from '../report.js';
import { eventTypes, orderSchema } from '../workload.js';

const defaultEvents = 500_000;
const warmUpEvents = 100_000;
/** The maximum cost of the check: 15 % of the throughput. */
const atLeast = 0.85;

interface Figures extends ClosedLoopResult {
  /** Processor time of the ingest process. */
  cpuMicrosPerEvent: number;
}

/**
 * SCHEMA: batches of 500 on 4 connections to a stream in which every event is checked with an enforced schema, and to
 * one without schemas, alternately by the same process.
 */
export async function schema(bench: BenchContext): Promise<MeasuredFigure[]> {
  const runs = await withStack(bench, async (stack) => {
    await stack.materializer.stop();
    const [plain, checked] = ['plain', 'checked'] as const;
    for (const stream of [plain, checked]) await createStream(stack, stream);
    await registerSchemas(stack, checked);
    for (const stream of [plain, checked]) await write(stack, stream, warmUpEvents);
    return eachRun(bench, async (run) => {
      const figures: Partial<Record<string, Figures>> = {};
      for (const stream of run % 2 ? [plain, checked] : [checked, plain])
        figures[stream] = await measured(bench, stack, stream);
      return { plain: figures[plain]!, checked: figures[checked]! };
    });
  });
  return rows(runs);
}

function rows(runs: { plain: Figures; checked: Figures }[]): MeasuredFigure[] {
  const of = (kind: 'plain' | 'checked', figure: 'eventsPerSecond' | 'cpuMicrosPerEvent') =>
    runs.map((run) => run[kind][figure]);
  const throughput: MeasuredFigure = {
    measure: 'SCHEMA',
    what: 'HTTP ingest, batches of 500, each event checked',
    unit: 'events/s',
    runs: of('checked', 'eventsPerSecond'),
    baseline: { what: 'without schemas', runs: of('plain', 'eventsPerSecond') },
    details: { runs },
  };
  const processor: MeasuredFigure = {
    measure: 'SCHEMA',
    what: 'the same, processor time of ingest',
    unit: 'µs/event',
    runs: of('checked', 'cpuMicrosPerEvent'),
    baseline: { what: 'without schemas', runs: of('plain', 'cpuMicrosPerEvent') },
  };
  return [
    { ...throughput, must: goal(ratioOf(throughput), { atLeast }, '×') },
    // If the processor is the bottleneck, throughput falls by the factor by which the work grows.
    { ...processor, must: goal(ratioOf(processor), { below: 1 / atLeast }, '×') },
  ];
}

async function measured(bench: BenchContext, stack: TestSystem, stream: string): Promise<Figures> {
  const events = bench.options.events ?? defaultEvents;
  const { result, cpuSeconds } = await observed(bench, stack, () => write(stack, stream, events));
  const cpuMicrosPerEvent = ((cpuSeconds.ingest ?? NaN) * 1e6) / result.events;
  bench.say(
    `${stream}: ${Math.round(result.eventsPerSecond)} events/s, ${cpuMicrosPerEvent.toFixed(2)} µs of processor time each`,
  );
  return { ...result, cpuMicrosPerEvent };
}

function write(stack: TestSystem, stream: string, events: number): Promise<ClosedLoopResult> {
  const job = { stream, connections: 4, batchSize: 500, events, warmUpEvents: 0, seed: 1 };
  return runClosedLoop({ urls: [stack.urls.ingest], ...job });
}

/** Registers a schema for each type of the workload; resolves when the ingest process enforces them. */
async function registerSchemas(stack: TestSystem, stream: string): Promise<void> {
  for (const event_type of eventTypes) {
    const body = { stream, event_type, schema: orderSchema, mode: 'enforce' };
    const { status, text } = await stack.core.post('/api/v1/schemas', body);
    if (status !== 201) throw new Error(`the schema was not registered: ${status} ${text}`);
  }
  const unfit = { stream, event_type: eventTypes.at(-1), data: {} };
  for (let i = 0; i < 100; i++) {
    if ((await stack.write.post('/api/v1/events', unfit)).status === 422) return;
    await sleep(50);
  }
  throw new Error('the schema is not enforced');
}
