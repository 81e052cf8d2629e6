import { setTimeout as sleep } from 'node:timers/promises';
import { KeepAliveConnection, requestBytes } from '../http/connection.js';
import { batchBodies, benchEvents, randomFrom } from '../workload.js';
import type { PacedJob, PacedResult } from './job.js';

const defaultBatchSize = 50;
const defaultConnections = 4;
/** Milliseconds between two queries of a probe, which is the maximum error of its measurement. */
const pollMs = 15;
const giveUpMs = 30_000;

/**
 * Keeps the rate with requests that are sent when they are due. During the load, the program sends one probe after the
 * other: it writes an event with an entity of its own, and queries that entity until the event is returned. About three
 * probes run in a second, so they are a small part of the load.
 */
export async function paced(job: PacedJob): Promise<PacedResult> {
  const until = performance.now() + job.seconds * 1000;
  const probed = job.probes === false ? [] : probe(job, until);
  const [sent, freshness] = await Promise.all([keepRate(job, until), probed]);
  return { sent, eventsPerSecond: sent / job.seconds, freshness };
}

async function keepRate(job: PacedJob, until: number): Promise<number> {
  const { batchSize = defaultBatchSize, connections = defaultConnections } = job;
  const requests = requestsOf(job, batchSize);
  const startedAt = performance.now();
  const dueMs = (index: number) => startedAt + (index * batchSize * 1000) / job.eventsPerSecond;
  let next = 0;
  let sent = 0;
  const send = async (): Promise<void> => {
    const connection = await KeepAliveConnection.open(job.writeUrl, { keepBody: false });
    while (performance.now() < until) {
      const index = next++;
      await sleep(Math.max(0, dueMs(index) - performance.now()));
      const { status } = await connection.send(requests[index % requests.length]!);
      if (status === 201) sent += batchSize;
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, send));
  return sent;
}

function requestsOf(job: PacedJob, batchSize: number): Buffer[] {
  const events = benchEvents(10_000, job);
  if (batchSize === 1) return events.map((event) => post(job, '/api/v1/events', JSON.stringify(event)));
  return batchBodies(events, batchSize).map((body) => post(job, '/api/v1/events/batch', body));
}

async function probe(job: PacedJob, until: number): Promise<number[]> {
  const random = randomFrom(job.seed);
  const writer = await KeepAliveConnection.open(job.writeUrl, { keepBody: true });
  const reader = await KeepAliveConnection.open(job.readUrl, { keepBody: true });
  const freshness: number[] = [];
  for (let count = 0; performance.now() < until; count++) {
    const entity = `probe-${job.seed}-${count}`;
    const body = JSON.stringify({ ...benchEvents(1, job)[0], entity_id: entity });
    const { status } = await writer.send(post(job, '/api/v1/events', body));
    if (status !== 201) throw new Error(`a probe was answered with ${status}`);
    const acknowledgedAt = performance.now();
    await shown(reader, job, entity);
    freshness.push(performance.now() - acknowledgedAt);
    await sleep(50 + random() * 100);
  }
  writer.close();
  reader.close();
  return freshness;
}

async function shown(reader: KeepAliveConnection, job: PacedJob, entity: string): Promise<void> {
  const query = new URLSearchParams({ stream: job.stream, entity_id: entity, limit: '1' }).toString();
  const path = `/api/v1/events/query?${query}`;
  const request = requestBytes({ method: 'GET', path, host: new URL(job.readUrl).host });
  const deadline = performance.now() + giveUpMs;
  while (performance.now() < deadline) {
    const askedAt = performance.now();
    const { status, body } = await reader.send(request);
    if (status !== 200) throw new Error(`a probe's query was answered with ${status}: ${body.toString()}`);
    if (body.includes('"event_id"')) return;
    await sleep(Math.max(0, askedAt + pollMs - performance.now()));
  }
  throw new Error(`a probe was not shown within ${giveUpMs} ms`);
}

function post(job: PacedJob, path: string, body: string): Buffer {
  const headers = { 'content-type': 'application/json' };
  return requestBytes({ method: 'POST', path, host: new URL(job.writeUrl).host, headers, body });
}
