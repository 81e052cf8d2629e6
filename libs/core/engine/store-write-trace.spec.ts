import { InMemoryTracing } from '#telemetry/memory';
import { beforeEach, expect, it } from 'vitest';
import type { SampledWriteRequest } from './sampled-write-requests.js';
import { withWriteTrace, type StoreWriteSpanOptions } from './store-write-trace.js';

let tracing: InMemoryTracing;

beforeEach(() => void (tracing = new InMemoryTracing()));

const traceId = (id: number): string => String(id).padStart(32, '0');

function request(id: number): SampledWriteRequest {
  const traceparent = `00-${traceId(id)}-00f067aa0ba902b7-01`;
  return {
    ...{ traceparent, requestId: `r-${id}`, topic: 't', partition: 3, offset: 10 * id, records: 2 },
    ...{ appendedAt: 1000, readAt: 2000 },
  };
}

function spansOf(...ids: number[]): StoreWriteSpanOptions {
  const followed = ids.map((id) => ({
    ...{ name: 'materialize orders', operation: 'materialize' },
    request: request(id),
  }));
  return { tracing, name: 'INSERT events', attributes: { a: 1 }, followed };
}

it('creates a span in the trace of each request, from its append to the end of the write', async () => {
  const result = await withWriteTrace(spansOf(1, 2), async () => {
    expect(tracing.spans).toEqual([]);
    return 'written';
  });
  expect(result).toBe('written');
  const requests = tracing.spans.filter(({ kind }) => kind === 'consumer');
  expect(requests).toMatchObject([
    {
      ...{ name: 'materialize orders', traceId: traceId(1), parentSpanId: '00f067aa0ba902b7' },
      ...{ startedAt: 1000, events: [{ name: 'read', at: 2000 }], error: undefined },
      attributes: {
        'messaging.system': 'kafka',
        'messaging.destination.name': 't',
        'messaging.destination.partition.id': '3',
        'messaging.kafka.offset': 10,
        'messaging.batch.message_count': 2,
        'tributary.request_id': 'r-1',
      },
    },
    { traceId: traceId(2) },
  ]);
});

it('creates the span of the write below the first request, with links to and from the others', async () => {
  await withWriteTrace(spansOf(1, 2, 3), async () => undefined);
  const [write, first, second, third] = tracing.spans;
  expect(write).toMatchObject({
    ...{ name: 'INSERT events', kind: 'client', attributes: { a: 1 } },
    ...{ traceId: first!.traceId, parentSpanId: first!.spanId },
    links: [second!.spanId, third!.spanId],
  });
  expect([first, second, third].map((span) => span!.links)).toEqual([[], [write!.spanId], [write!.spanId]]);
});

it('creates spans for at most 128 requests of one write', async () => {
  await withWriteTrace(spansOf(...Array.from({ length: 500 }, (_, i) => i + 1)), async () => undefined);
  expect(tracing.spans).toHaveLength(129);
  expect(tracing.spans[0]!.links).toHaveLength(127);
});

it('records an error of the write in all spans, and rejects with it', async () => {
  const failing = withWriteTrace(spansOf(1), () => Promise.reject(new TypeError('no')));
  await expect(failing).rejects.toThrow('no');
  expect(tracing.spans.map(({ error }) => error)).toEqual(['TypeError', 'TypeError']);
});

it('only writes if no request is traced', async () => {
  expect(await withWriteTrace(undefined, async () => 1)).toBe(1);
  expect(await withWriteTrace(spansOf(), async () => 2)).toBe(2);
  expect(tracing.spans).toEqual([]);
});
