import { AcknowledgingServer } from '../baselines/acknowledging-server.js';
import { createStream, eachRun, observed, withStack, type BenchContext } from '../bench.js';
import { runChild } from '../child.js';
import type { ClientPackageJob, ClientPackageResult } from '../load/client.js';
import { runClosedLoop } from '../load/start.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median } from '../statistics.js';

const defaultEvents = 500_000;
const warmUpEvents = 100_000;

/**
 * CLIENT: one process sends events with the client, with one `send` for each. The process sends to a server that
 * acknowledges at once, and to the system, compared with prepared bodies on plain sockets.
 */
export async function client(bench: BenchContext): Promise<MeasuredFigure[]> {
  const events = bench.options.events ?? defaultEvents;
  const alone = await toServerAlone(bench, events);
  const runs = await toSystem(bench, events);
  const rates = runs.map(({ sent }) => sent.result.eventsPerSecond);
  const ratesAlone = alone.map(({ eventsPerSecond }) => eventsPerSecond);
  return [
    {
      ...{
        measure: 'CLIENT',
        what: 'one process, one `send` for each event, all on this machine',
        unit: 'events/s',
      },
      runs: rates,
      baseline: { what: 'prepared bodies', runs: runs.map(({ bare }) => bare.eventsPerSecond) },
      must: goal(median(rates), { atLeast: 60_000 }),
      details: { runs },
    },
    {
      ...{ measure: 'CLIENT', what: 'the same, to a server that acknowledges at once', unit: 'events/s' },
      runs: ratesAlone,
      must: goal(median(ratesAlone), { atLeast: 60_000 }),
      details: { runs: alone },
    },
    {
      ...{ measure: 'CLIENT', what: 'processor time of the client for an event', unit: 'µs' },
      runs: runs.map(({ sent }) => sent.result.microsecondsPerEvent),
    },
  ];
}

async function toServerAlone(bench: BenchContext, events: number): Promise<ClientPackageResult[]> {
  const server = new AcknowledgingServer();
  const url = await server.listen();
  try {
    return await eachRun(bench, (run) => {
      const job: ClientPackageJob = { url, stream: 'client', events, warmUpEvents, seed: run };
      return runChild<ClientPackageResult>('load/client.js', job);
    });
  } finally {
    await server.close();
  }
}

function toSystem(bench: BenchContext, events: number) {
  return withStack(bench, async (stack) => {
    await stack.materializer.stop();
    return eachRun(bench, async (run) => {
      const url = stack.urls.ingest;
      const stream = `client-${run}`;
      await createStream(stack, stream);
      const load = { stream, events, warmUpEvents, seed: run };
      const bare = await runClosedLoop({ ...load, urls: [url], connections: 4, batchSize: 500 });
      const job: ClientPackageJob = { ...load, url };
      const sent = await observed(bench, stack, () => runChild<ClientPackageResult>('load/client.js', job));
      return { sent, bare };
    });
  });
}
