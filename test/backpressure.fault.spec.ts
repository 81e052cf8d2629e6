import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { HttpAnswer, HttpClient } from '#testkit';
import { expectProblem, freshStream, path, waitFor, writeEvent, type SingleWriteAnswer } from './api.js';
import { useFaultySystem, type BreakableSystem } from './breakable-system.js';

const mib = 1024 * 1024;
/** The maximum number of bytes that one process has in flight to Kafka. */
const inFlightBytes = 64 * mib;
const eventsEach = 8;

/** Milliseconds for which Kafka accepts nothing: less than the time-out of a request to it. */
const stallMs = 7_000;

const plant = pathToFileURL('dist/test/plant-garbage-collection.js').href;
const system = useFaultySystem({
  env: {
    // The limit for request bodies is high, so only the limit of bytes in flight to Kafka can refuse requests.
    INGEST_BODY_MIB: '1024',
    // A process that kept the refused requests in memory would crash with this heap.
    NODE_OPTIONS: `--max-old-space-size=320 --import=${plant}`,
  },
});

/** Returns slightly less than 8 MiB in 8 events of one entity. */
function largeBatch(stream: string, entity: string): Buffer {
  const data = { text: 'x'.repeat(mib - 1_000) };
  const event = JSON.stringify({ stream, event_type: 't', entity_id: entity, data });
  return Buffer.from(`{"events":[${new Array<string>(eventsEach).fill(event).join(',')}]}`);
}

/** Returns the resident memory of a process in bytes. */
function residentBytes(pid: number): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

interface Sent {
  entity: string;
  answer: Promise<HttpAnswer>;
  /** Set when the server has answered the request. */
  status?: number;
}

function send(client: HttpClient, entity: string, body: Buffer): Sent {
  const answer = client.post('/api/v1/events/batch', body, { timeoutMs: 90_000 });
  const sent: Sent = { entity, answer };
  answer.then(({ status }) => (sent.status = status)).catch(() => undefined);
  return sent;
}

/** Counts the events of the stream by entity. */
async function countByEntity(
  client: HttpClient,
  stream: string,
  written: readonly SingleWriteAnswer[],
): Promise<Map<string, number>> {
  const url = path('/api/v1/events/count', { stream, group_by: 'entity_id' }, waitFor(written, stream));
  let answer: HttpAnswer | undefined;
  // Events that waited for Kafka may be stored later than one request waits.
  await expect
    .poll(async () => (answer = await client.get(url, { timeoutMs: 60_000 })).status, { timeout: 120_000 })
    .toBe(200);
  const { buckets } = answer!.json<{ buckets: { group: string; count: number }[] }>();
  return new Map(buckets.map(({ group, count }) => [group, count]));
}

const batches = 12;
/** Requests that are refused one after the other while the memory is observed: 160 MiB, more than the limit in flight. */
const repeatedRefusals = 20;
const refusedOnes = batches - Math.floor(inFlightBytes / (eventsEach * mib));

/**
 * Stalls Kafka and sends more bytes than may be in flight. A busy machine may not accept all of them before the stall
 * has to end; then the stall ends and the round is repeated.
 */
async function stallFull({ stack, engines }: BreakableSystem, stream: string) {
  for (let round = 0; round < 10; round++) {
    const entities = Array.from({ length: batches }, (_, i) => `first-${round}-${i}`);
    const bodies = entities.map((entity) => largeBatch(stream, entity));
    engines.kafkaProxy.stall();
    const stalledAt = Date.now();
    const sent = bodies.map((body, i) => send(stack.write, entities[i]!, body));
    const isFull = () => sent.filter(({ status }) => status !== undefined).length === refusedOnes;
    while (!isFull() && Date.now() - stalledAt < stallMs) await sleep(20);
    if (isFull()) return { sent, stalledAt };
    engines.kafkaProxy.flow();
    await Promise.all(sent.map(({ answer }) => answer));
  }
  throw new Error('This machine is too slow to have as many bytes wait for Kafka as may');
}

describe('given a Kafka that accepts nothing and closes no connection', () => {
  it('when the limit of bytes in flight is reached, new writes are refused at once, and acknowledged events are stored', async () => {
    const { stack, engines } = system();
    const { write, ingest } = stack;
    const stream = freshStream('large');
    const small = { stream, event_type: 't', entity_id: 'small', data: {} };
    await writeEvent(write, small);
    const [pid, before] = [ingest.pid, residentBytes(ingest.pid)];
    const next = largeBatch(stream, 'next');
    const { sent, stalledAt } = await stallFull(system(), stream);
    const refused = () => sent.filter(({ status }) => status !== undefined);
    const waiting = sent.filter(({ status }) => status === undefined);
    let most = 0;
    do {
      const one = send(write, 'next', next);
      sent.push(one);
      await one.answer;
      most = Math.max(most, residentBytes(pid));
    } while (sent.length < batches + repeatedRefusals && Date.now() - stalledAt < stallMs);
    const toldSo = refused();
    engines.kafkaProxy.flow();

    for (const { answer } of toldSo) {
      const problem = expectProblem(await answer, 'overloaded');
      expect(problem.detail).toContain('wait for Kafka to acknowledge');
      expect((await answer).headers['retry-after']).toMatch(/^\d+$/);
    }
    expect(most - before).toBeLessThan(8 * inFlightBytes);

    const answers = await Promise.all(waiting.map(({ answer }) => answer));
    await expect
      .poll(async () => (await write.post('/api/v1/events', small)).status, { timeout: 90_000 })
      .toBe(201);
    expect(ingest.pid).toBe(pid);
    const acknowledged = waiting.filter(({ status }) => status === 201).map(({ entity }) => entity);
    expect(acknowledged.length).toBeGreaterThan(0);
    const written = answers
      .filter(({ status }) => status === 201)
      .flatMap((answer) => answer.json<{ events: SingleWriteAnswer[] }>().events);
    const counts = await countByEntity(stack.core, stream, written);
    expect(acknowledged.map((entity) => counts.get(entity))).toEqual(acknowledged.map(() => eventsEach));
    expect(toldSo.filter(({ entity }) => counts.has(entity))).toEqual([]);
  });
});
