import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { InMemoryTracing, type RecordedSpan } from '#telemetry/memory';
import { event, startTestIngest, type TestIngest } from './writing.fixture.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const headers = (flags: string): Record<string, string> => ({
  'x-request-id': 'r-1',
  traceparent: `00-${traceId}-00f067aa0ba902b7-${flags}`,
});

let tracing: InMemoryTracing;
let given: TestIngest;

beforeEach(async () => {
  tracing = new InMemoryTracing({ samples: false });
  given = await startTestIngest({ tracing });
});

afterEach(() => given.close());

const carried = (stream = 'orders'): string => String(given.records(stream)[0]!.headers.traceparent);

/** Returns the span of the request, which ends after the answer, when its connection is released. */
async function spanOfRequest(): Promise<RecordedSpan> {
  return vi.waitFor(() => {
    const found = tracing.spans.find(({ kind }) => kind === 'server');
    if (!found) throw new Error('the request has no span yet');
    return found;
  });
}

describe('a write with a sampled trace', () => {
  it('has a span below the span of the client, and the append has a span below that', async () => {
    await given.single(event(), headers('01'));
    const request = await spanOfRequest();
    expect(request).toMatchObject({
      ...{ name: 'POST /api/v1/events', traceId, parentSpanId: '00f067aa0ba902b7', error: undefined },
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/events',
        'http.response.status_code': 201,
        'tributary.request_id': 'r-1',
      },
    });
    const send = tracing.spans.find(({ kind }) => kind === 'producer')!;
    expect(send).toMatchObject({ traceId, parentSpanId: request.spanId });
    expect(carried()).toBe(`00-${traceId}-${send.spanId}-01`);
  });

  it('records a rejection without marking it as a server error', async () => {
    await given.single(event({ data: 5 }), headers('01'));
    const refused = { error: undefined, attributes: { 'http.response.status_code': 400 } };
    expect(await spanOfRequest()).toMatchObject(refused);
    expect(tracing.spans).toHaveLength(1);
  });

  it('marks a server error', async () => {
    given.log.down = true;
    await given.single(event({ stream: 'another' }), headers('01'));
    expect(await spanOfRequest()).toMatchObject({ error: '503' });
  });
});

describe('a write without a sampled trace', () => {
  it('has no span, and passes the trace on', async () => {
    await given.single(event(), headers('00'));
    await given.single(event({ stream: 'other' }));
    expect(tracing.spans).toEqual([]);
    expect(carried()).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    expect(carried('other')).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });
});

it('creates no spans for probes and unknown addresses', async () => {
  for (const url of ['/health/live', '/metrics', '/nothing'])
    await given.app.instance.inject({ url, headers: headers('01') });
  await given.single(event(), headers('01'));
  expect((await spanOfRequest()).name).toBe('POST /api/v1/events');
});

it('marks a new trace as not sampled while tracing is off', async () => {
  const off = await startTestIngest();
  await off.single(event());
  expect(String(off.records('orders')[0]!.headers.traceparent)).toMatch(/-00$/);
  await off.close();
});
