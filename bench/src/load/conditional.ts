import { setTimeout as sleep } from 'node:timers/promises';
import { KeepAliveConnection, requestBytes } from '../http/connection.js';
import { percentile } from '../statistics.js';
import { benchEvents, type BenchEvent } from '../workload.js';
import type { ConditionalWriteJob, ConditionalWriteResult } from './job.js';

/** The data of events are repeated after this many. */
const distinctEvents = 10_000;

/** The entities of one connection, with the versions that its events have made. */
interface Owned {
  connection: KeepAliveConnection;
  entities: { id: string; version: number }[];
  next: number;
}

/** Sends conditional writes for some time, after a warm-up. @throws if one is not accepted */
export async function conditional(job: ConditionalWriteJob): Promise<ConditionalWriteResult> {
  const owned = await Promise.all(Array.from({ length: job.connections }, (_, n) => own(job, n)));
  const events = benchEvents(distinctEvents, job);
  const latencies: number[] = [];
  const startedAt = performance.now();
  const measuredFrom = startedAt + job.warmUpSeconds * 1000;
  const until = measuredFrom + job.seconds * 1000;
  const interval = job.eventsPerSecond ? (job.batchSize * 1000) / job.eventsPerSecond : 0;
  let next = 0;
  const send = async (of: Owned): Promise<void> => {
    for (;;) {
      const index = next++;
      const dueAt = interval ? startedAt + index * interval : performance.now();
      if (dueAt >= until) return;
      if (dueAt > performance.now()) await sleep(dueAt - performance.now());
      await write(job, of, events);
      if (dueAt >= measuredFrom) latencies.push(performance.now() - dueAt);
    }
  };
  await Promise.all(owned.map(send));
  for (const { connection } of owned) connection.close();
  const seconds = Math.max(performance.now(), until) - measuredFrom;
  const sent = latencies.length * job.batchSize;
  return {
    events: sent,
    eventsPerSecond: sent / (seconds / 1000),
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    max: percentile(latencies, 1),
  };
}

async function own({ url, entities, connections, seed }: ConditionalWriteJob, n: number): Promise<Owned> {
  const all = Array.from({ length: entities }, (_, i) => ({ id: `order-${seed}-${i}`, version: 0 }));
  const connection = await KeepAliveConnection.open(url, { keepBody: true });
  return { connection, entities: all.filter((_, i) => i % connections === n), next: 0 };
}

/** Writes the next events of a connection in one request, and expects that all are accepted. */
async function write(job: ConditionalWriteJob, owned: Owned, events: readonly BenchEvent[]): Promise<void> {
  const bodies: string[] = [];
  let entity = owned.entities[owned.next % owned.entities.length]!;
  for (let i = 0; i < job.batchSize; i++) {
    if (!job.atomic) entity = owned.entities[owned.next % owned.entities.length]!;
    const event = events[owned.next++ % events.length]!;
    const condition = job.atomic && i > 0 ? {} : { expected_version: entity.version };
    entity.version++;
    bodies.push(JSON.stringify({ ...event, entity_id: entity.id, ...condition }));
  }
  const batch = job.batchSize > 1;
  const request = requestBytes({
    method: 'POST',
    path: `/api/v1/events${batch ? '/batch' : ''}${job.atomic ? '?atomic=true' : ''}`,
    host: new URL(job.url).host,
    headers: { 'content-type': 'application/json' },
    body: batch ? `{"events":[${bodies.join(',')}]}` : bodies[0],
  });
  const { status, body } = await owned.connection.send(request);
  if (status !== 201) throw new Error(`a conditional write was answered with ${status}: ${body.toString()}`);
}
