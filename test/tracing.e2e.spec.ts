import { topicOf } from '#testkit';
import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { freshStream, path, queryEvents, writeEvent } from './api.js';
import { TraceCollector, type CollectedSpan } from './trace-collector.js';
import { useStack } from './use-stack.js';

const collector = await TraceCollector.listening();
const system = useStack({
  processors: 1,
  env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' },
});
afterAll(() => collector.close());

const clientSpan = '00f067aa0ba902b7';
const event = (stream: string) => ({ stream, event_type: 't', entity_id: 'hunter2', data: { n: 1 } });

/** Returns the headers of a request whose trace is recorded or not. */
function traced(flags: '00' | '01'): { traceId: string; headers: Record<string, string> } {
  const traceId = randomBytes(16).toString('hex');
  const headers = { traceparent: `00-${traceId}-${clientSpan}-${flags}`, 'x-request-id': `r-${traceId}` };
  return { traceId, headers };
}

/**
 * Returns the spans of a trace by name, when all of these have arrived: the last of each, because a record may be
 * inserted again.
 */
async function spansOf(traceId: string, names: string[]): Promise<Record<string, CollectedSpan>> {
  const known = (): Set<string> => new Set(collector.ofTrace(traceId).map(({ name }) => name));
  await expect.poll(known).toEqual(new Set(names));
  return Object.fromEntries(collector.ofTrace(traceId).map((span) => [span.name, span]));
}

describe('a write whose trace is recorded', () => {
  it.each(['write', 'core'] as const)('on the %s port is one trace up to the insert', async (port) => {
    const stream = freshStream();
    const { traceId, headers } = traced('01');
    const answer = await system()[port].post('/api/v1/events', event(stream), { headers });
    expect(answer.status, answer.text).toBe(201);
    const topic = await topicOf(system(), stream);
    const names = {
      post: 'POST /api/v1/events',
      send: `send ${topic}`,
      materialize: `materialize ${stream}`,
      insert: 'INSERT events',
    };
    const spans = await spansOf(traceId, Object.values(names));
    const [post, send] = [spans[names.post]!, spans[names.send]!];
    const [materialize, insert] = [spans[names.materialize]!, spans[names.insert]!];
    expect(post).toMatchObject({ parentSpanId: clientSpan });
    expect(post.service).toBe(port === 'write' ? 'tributary-ingest' : 'tributary-gateway');
    expect(send).toMatchObject({ parentSpanId: post.spanId, service: post.service });
    expect(materialize).toMatchObject({ parentSpanId: send.spanId, service: 'tributary-materializer' });
    expect(insert).toMatchObject({ parentSpanId: materialize.spanId, service: 'tributary-materializer' });
    for (const span of [post, send, materialize])
      expect(span.attributes).toMatchObject({ 'tributary.request_id': `r-${traceId}` });
    const { partition, offset } = answer.json<{ partition: number; offset: number }>();
    const place = {
      'messaging.destination.partition.id': String(partition),
      'messaging.kafka.offset': offset,
    };
    for (const span of [send, materialize]) expect(span.attributes).toMatchObject(place);
    expect(JSON.stringify(collector.spans)).not.toContain('hunter2');
  });

  it('continues in the projections and pipelines that read it', async () => {
    const [stream, name, copies] = [freshStream(), freshStream('p'), freshStream('copies')];
    await writeEvent(system().core, event(stream));
    const spec = { source: { streams: [stream] }, key: 'event.entity_id', fields: { n: { op: 'count' } } };
    const made = await system().core.post('/api/v1/projections', { name, ...spec });
    expect(made.status, made.text).toBe(201);
    const pipeline = { source: { streams: [stream] }, operators: [{ emit: { stream: copies } }] };
    expect((await system().core.post('/api/v1/pipelines', { name, ...pipeline })).status).toBe(201);
    const state = path(`/api/v1/projections/${name}/state/hunter2`, {});
    await expect.poll(async () => (await system().core.get(state)).status).toBe(200);
    const copied = async () => (await queryEvents(system().core, { stream: copies })).count;
    await expect.poll(copied, { timeout: 60_000 }).toBe(1);
    const { traceId, headers } = traced('01');
    await system().core.post('/api/v1/events', event(stream), { headers });
    const requestId = expect.objectContaining({ 'tributary.request_id': `r-${traceId}` }) as object;
    await expect
      .poll(() => collector.ofTrace(traceId).filter(({ service }) => service === 'tributary-processor'))
      .toMatchObject(
        expect.arrayContaining([
          expect.objectContaining({ name: `project ${name}` }),
          expect.objectContaining({ name: 'INSERT projections' }),
          expect.objectContaining({ name: `pipeline ${name}`, attributes: requestId }),
          expect.objectContaining({ name: `run ${name}` }),
        ]) as CollectedSpan[],
      );
  });
});

it('contains a query', async () => {
  const { traceId, headers } = traced('01');
  await system().query.get('/api/v1/entities', { headers });
  const spans = await spansOf(traceId, ['GET /api/v1/entities']);
  expect(spans['GET /api/v1/entities']).toMatchObject({
    ...{ service: 'tributary-gateway', parentSpanId: clientSpan },
    attributes: { 'http.response.status_code': 200 },
  });
});

it('contains no span of an unrecorded trace', async () => {
  const stream = freshStream();
  const unsampled = traced('00');
  await system().write.post('/api/v1/events', event(stream), { headers: unsampled.headers });
  const after = traced('01');
  await system().write.post('/api/v1/events', event(stream), { headers: after.headers });
  // The request uses the same connections, apps and partition, and an insert that is not earlier, so spans of the
  // first request would have arrived.
  await expect.poll(() => collector.ofTrace(after.traceId).length).toBe(4);
  expect(collector.ofTrace(unsampled.traceId)).toEqual([]);
});

it('continues, and ends gracefully, when the collector is down', async () => {
  await collector.close();
  const stream = freshStream();
  for (let i = 0; i < 20; i++) {
    const answer = await system().write.post('/api/v1/events', event(stream), {
      headers: traced('01').headers,
    });
    expect(answer.status).toBe(201);
  }
  const query = path('/api/v1/events/query', { stream });
  await expect.poll(async () => (await system().core.get(query)).json<{ count: number }>().count).toBe(20);
  for (const app of [system().ingest, system().materializer])
    expect(await app.kill('SIGTERM')).toMatchObject({ code: 0 });
});
