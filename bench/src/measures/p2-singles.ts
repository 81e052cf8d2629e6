import { createStream, eachRun, observed, withStack, type BenchContext } from '../bench.js';
import { runClosedLoop } from '../load/start.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';

const defaultEvents = 200_000;

/** P2: single events on 64 connections. */
export async function singles(bench: BenchContext): Promise<MeasuredFigure[]> {
  const runs = await withStack(bench, async (stack) => {
    await stack.materializer.stop();
    return eachRun(bench, async (run) => {
      const stream = `singles-${run}`;
      await createStream(stack, stream);
      const load = {
        urls: [stack.urls.ingest],
        stream,
        connections: 64,
        batchSize: 1,
        events: bench.options.events ?? defaultEvents,
        warmUpEvents: 20_000,
        seed: 2,
      };
      return observed(bench, stack, () => runClosedLoop(load));
    });
  });
  const rates = runs.map(({ result }) => result.eventsPerSecond);
  const slowest = runs.map(({ result }) => result.p99);
  return [
    {
      measure: 'P2',
      what: 'HTTP ingest, single events, 64 connections',
      unit: 'events/s',
      runs: rates,
      must: goal(median(rates), { atLeast: 12_000 }),
      aim: goal(median(rates), { atLeast: 20_000 }),
      details: { loads: runs },
    },
    {
      measure: 'P2',
      what: 'the same, p99 of a request',
      unit: 'ms',
      runs: slowest,
      must: goal(median(slowest), { below: 25 }, 'ms'),
    },
  ];
}
