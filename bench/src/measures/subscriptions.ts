import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpClient } from '#testkit';
import { createStream, eachRun, type BenchContext } from '../bench.js';
import { withLocalSystem, type LocalSystem } from '../local-system.js';
import { goal, type MeasuredFigure } from '../report.js';
import { median, percentile } from '../statistics.js';
import { benchEvents } from '../workload.js';

const workers = 8;
const eventsPerBatch = 1_000;
const eventsOfAnswer = 200;
const seconds = 20;
/** Milliseconds between two events whose hand-out is measured. */
const probeMs = 50;
/** Events per second that each order must reach. */
const goals = { none: 10_000, entity: 5_000 } as const;
type Order = keyof typeof goals;

interface ReceivedEvent {
  token: string;
  event: { entity_id: string };
}

/**
 * SUB: workers receive and acknowledge the events of a backlog, 200 at a time, with each order; and milliseconds from the
 * acknowledgement of a write until a worker that waits has the event, at 20 events/s. In the system as started by `npm start`.
 */
export async function subscriptions(bench: BenchContext): Promise<MeasuredFigure[]> {
  const events = bench.options.events ?? 200_000;
  const runs = await eachRun(bench, () =>
    withLocalSystem(bench, async (system) => {
      const delays = await delaysOf(system);
      return {
        delays,
        none: await rateOf(system, 'none', events),
        entity: await rateOf(system, 'entity', events),
      };
    }),
  );
  const p95 = runs.map(({ delays }) => percentile(delays, 0.95));
  const row = { measure: 'SUB', unit: 'ms' };
  return [
    {
      ...row,
      what: 'acknowledged to handed out, p50',
      runs: runs.map(({ delays }) => percentile(delays, 0.5)),
    },
    { ...row, what: 'the same, p95', runs: p95, must: goal(median(p95), { below: 30 }, 'ms') },
    ...(['none', 'entity'] as const).map((order): MeasuredFigure => {
      const rates = runs.map((run) => run[order]);
      const what = `received and acknowledged by ${workers} workers, order ${order}`;
      return {
        ...{ measure: 'SUB', what, unit: 'events/s', runs: rates },
        must: goal(median(rates), { atLeast: goals[order] }),
      };
    }),
  ];
}

async function defined({ core }: LocalSystem, name: string, more: object): Promise<string> {
  const body = JSON.stringify({ source: { streams: [name] }, max_outstanding: 10_000, ...more });
  const headers = { 'content-type': 'application/json' };
  const path = `/api/v1/subscriptions/${name}`;
  const { status, text } = await core.send('PUT', path, { body, headers });
  if (status !== 201) throw new Error(`the subscription was not defined: ${status} ${text}`);
  return path;
}

async function receive(core: HttpClient, path: string, max: number): Promise<ReceivedEvent[]> {
  const answer = await core.post(`${path}/receive`, { max, wait: '5s' });
  if (answer.status !== 200) throw new Error(`receive was answered with ${answer.status}: ${answer.text}`);
  return answer.json<{ events: ReceivedEvent[] }>().events;
}

async function acknowledge(core: HttpClient, path: string, events: readonly ReceivedEvent[]): Promise<void> {
  const answer = await core.post(`${path}/ack`, { ack: events.map(({ token }) => token) });
  if (answer.status !== 200) throw new Error(`ack was answered with ${answer.status}: ${answer.text}`);
}

async function delaysOf(system: LocalSystem): Promise<number[]> {
  const stream = 'handed-out';
  await createStream(system, stream);
  const path = await defined(system, stream, { from: 'now' });
  const receivedAt = new Map<string, number>();
  const acknowledgedAt = new Map<string, number>();
  let isOver = false;
  const work = async () => {
    while (!isOver) {
      const events = await receive(system.core, path, 10);
      for (const { event } of events) receivedAt.set(event.entity_id, performance.now());
      if (events.length > 0) await acknowledge(system.core, path, events);
    }
  };
  const working = Promise.all([work(), work()]);
  const until = performance.now() + seconds * 1000;
  for (let i = 0; performance.now() < until; i++) {
    const entity = `probe-${i}`;
    const event = { ...benchEvents(1, { stream, seed: i })[0], entity_id: entity };
    const { status, text } = await system.ingest.post('/api/v1/events', event);
    if (status !== 201) throw new Error(`a probe was answered with ${status}: ${text}`);
    acknowledgedAt.set(entity, performance.now());
    await sleep(probeMs);
  }
  await sleep(2_000);
  isOver = true;
  await working;
  // The first ones wait until the log is read.
  const measured = [...acknowledgedAt].slice(20);
  return measured.map(([entity, at]) => Math.max(0, (receivedAt.get(entity) ?? Infinity) - at));
}

async function rateOf(system: LocalSystem, order: Order, events: number): Promise<number> {
  const stream = `backlog-${order}`;
  await createStream(system, stream);
  for (let written = 0; written < events; written += eventsPerBatch) {
    const batch = benchEvents(eventsPerBatch, { stream, seed: written });
    const { status, text } = await system.ingest.post('/api/v1/events/batch', { events: batch });
    if (status !== 201) throw new Error(`a batch was answered with ${status}: ${text}`);
  }
  const path = await defined(system, stream, { from: 'beginning', order });
  let received = 0;
  const began = performance.now();
  const work = async () => {
    while (received < events) {
      const some = await receive(system.core, path, eventsOfAnswer);
      received += some.length;
      if (some.length > 0) await acknowledge(system.core, path, some);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return received / ((performance.now() - began) / 1000);
}
