import { KeepAliveConnection, requestBytes } from '../http/connection.js';
import { percentile } from '../statistics.js';
import { batchBodies, benchEvents, peerBodies, rawBodies, type BenchEvent } from '../workload.js';
import type { ClosedLoopJob, ClosedLoopResult } from './job.js';

/** The number of distinct prepared events. The events are sent repeatedly, because the server assigns the ids. */
export const preparedEvents = 50_000;

/** Sends the warm-up, then the measured events. All bytes are prepared before the clock starts. */
export async function closedLoop(job: ClosedLoopJob): Promise<ClosedLoopResult> {
  const requests = prepare(job);
  const connections = await Promise.all(
    Array.from({ length: job.connections }, (_, index) =>
      KeepAliveConnection.open(job.urls[index % job.urls.length]!, { keepBody: false }),
    ),
  );
  const warmUp = { count: Math.ceil(job.warmUpEvents / job.batchSize), deadline: Infinity };
  await run(connections, requests, warmUp);
  const startedAt = performance.now();
  const { latencies, statuses } = await run(connections, requests, boundsOf(job, startedAt));
  const seconds = (performance.now() - startedAt) / 1000;
  for (const connection of connections) connection.close();
  const events = ((statuses['200'] ?? 0) + (statuses['201'] ?? 0)) * job.batchSize;
  return {
    events,
    seconds,
    eventsPerSecond: events / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    max: percentile(latencies, 1),
    statuses,
  };
}

/** The number of requests, and the time by `performance.now()` after which none is sent. */
interface Bounds {
  count: number;
  deadline: number;
}

function boundsOf(
  { events = Infinity, seconds = Infinity, batchSize }: ClosedLoopJob,
  startedAt: number,
): Bounds {
  return { count: Math.ceil(events / batchSize), deadline: startedAt + seconds * 1000 };
}

function prepare(job: ClosedLoopJob): Buffer[] {
  const distinct = job.entities !== undefined;
  const events = benchEvents(job.entities ?? preparedEvents, { ...job, distinct });
  const { host } = new URL(job.urls[0]!);
  const {
    path,
    bodies,
    type = 'application/json',
  } = job.raw ? rawRequests(job, events) : requests(job, events);
  const headers = { 'content-type': type };
  return bodies.map((body) => requestBytes({ method: 'POST', path, host, headers, body }));
}

interface Requests {
  path: string;
  bodies: string[];
  type?: string;
}

function requests({ batchSize, peer }: ClosedLoopJob, events: readonly BenchEvent[]): Requests {
  const path = batchSize > 1 ? '/api/v1/events/batch' : '/api/v1/events';
  if (peer) return { path, bodies: peerBodies(events, batchSize) };
  if (batchSize > 1) return { path, bodies: batchBodies(events, batchSize) };
  return { path, bodies: events.map((event) => JSON.stringify(event)) };
}

function rawRequests({ stream, batchSize }: ClosedLoopJob, events: readonly BenchEvent[]): Requests {
  const path = `/api/v1/streams/${stream}/raw?event_type=/kind&entity_id=/order`;
  return { path, bodies: rawBodies(events, batchSize), type: 'application/x-ndjson' };
}

async function run(
  connections: readonly KeepAliveConnection[],
  requests: readonly Buffer[],
  { count, deadline }: Bounds,
): Promise<{ latencies: number[]; statuses: Record<string, number> }> {
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  let next = 0;
  const sendNext = async (connection: KeepAliveConnection): Promise<void> => {
    while (next < count && performance.now() < deadline) {
      const request = requests[next++ % requests.length]!;
      const sentAt = performance.now();
      const { status } = await connection.send(request);
      latencies.push(performance.now() - sentAt);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(connections.map(sendNext));
  return { latencies, statuses };
}
