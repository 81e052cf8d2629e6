import { SpanKind } from '@opentelemetry/api';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  InMemorySpanExporter,
  ParentBasedSampler,
  SimpleSpanProcessor,
  TracerProvider,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace';
import { beforeEach, describe, expect, it } from 'vitest';
import { InMemoryTracing, type RecordedSpan } from './in-memory-tracing.js';
import { OtelTracing } from './otlp-tracing.js';
import { isSampled, isTraceparent, type Tracing } from './tracing.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = (flags: string): string => `00-${traceId}-00f067aa0ba902b7-${flags}`;

interface Recorded {
  tracing: Tracing;
  spans: () => RecordedSpan[];
}

function inMemory(options: { samples: boolean }): Recorded {
  const tracing = new InMemoryTracing(options);
  return { tracing, spans: () => tracing.spans };
}

function byOpenTelemetry({ samples }: { samples: boolean }): Recorded {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    sampler: new ParentBasedSampler({ root: samples ? new AlwaysOnSampler() : new AlwaysOffSampler() }),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  const tracing = new OtelTracing(provider.getTracer('spec'), provider);
  return { tracing, spans: () => exporter.getFinishedSpans().map(recorded) };
}

function recorded(span: ReadableSpan): RecordedSpan {
  const millis = ([seconds, nanos]: [number, number]): number => seconds * 1000 + nanos / 1e6;
  const { 'error.type': error, ...attributes } = span.attributes;
  return {
    name: span.name,
    ...span.spanContext(),
    parentSpanId: span.parentSpanContext?.spanId,
    kind: SpanKind[span.kind].toLowerCase() as RecordedSpan['kind'],
    attributes: attributes as RecordedSpan['attributes'],
    links: span.links.map(({ context }) => context.spanId),
    events: span.events.map(({ name, time }) => ({ name, at: millis(time) })),
    startedAt: millis(span.startTime),
    error: error as string | undefined,
  };
}

describe.each([
  ['in memory', inMemory],
  ['with OpenTelemetry', byOpenTelemetry],
])('tracing %s', (_name, open) => {
  let given: Recorded;

  beforeEach(() => (given = open({ samples: true })));

  it('starts a trace without a parent, or with an invalid one', () => {
    for (const none of [undefined, '', '00-zz-1-01', parent('01').replace('4bf9', 'ABCD')]) {
      const span = given.tracing.start('one', { parent: none });
      expect(span.traceparent).toSatisfy(isTraceparent);
      expect(span.traceparent).not.toContain(traceId);
      span.end();
    }
    expect(given.spans().map(({ parentSpanId }) => parentSpanId)).toEqual(Array(4).fill(undefined));
  });

  it('continues the trace of a parent, with its own span id', () => {
    const span = given.tracing.start('one', { parent: parent('01') });
    const below = given.tracing.start('two', { parent: span.traceparent, parentIsLocal: true });
    for (const one of [below, span]) one.end();
    const [two, one] = given.spans();
    expect(one).toMatchObject({ traceId, parentSpanId: '00f067aa0ba902b7' });
    expect(two).toMatchObject({ traceId, parentSpanId: one!.spanId });
    expect(span.traceparent).toBe(`00-${traceId}-${one!.spanId}-01`);
  });

  it('records nothing of a span that is not sampled, and passes this decision on', () => {
    const span = given.tracing.start('one', { parent: parent('00') });
    expect(span.recording).toBe(false);
    expect(span.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`));
    span.set({ a: 1 });
    span.event('e', 1);
    span.end();
    expect(given.spans()).toEqual([]);
  });

  it('decides whether new traces are sampled', () => {
    for (const samples of [true, false]) {
      const span = open({ samples }).tracing.start('one');
      expect([span.recording, isSampled(span.traceparent)]).toEqual([samples, samples]);
    }
  });

  it('records all properties of a span', () => {
    const span = given.tracing.start('send', {
      kind: 'producer',
      links: [parent('01')],
      attributes: { a: 'x', none: undefined },
      startedAt: 1_700_000_000_123,
    });
    span.set({ b: 2 });
    span.event('read', 1_700_000_000_456);
    span.link(`00-${traceId}-00f067aa0ba902b8-01`);
    span.end();
    expect(given.spans()).toMatchObject([
      {
        ...{ name: 'send', kind: 'producer', attributes: { a: 'x', b: 2 } },
        links: ['00f067aa0ba902b7', '00f067aa0ba902b8'],
        events: [{ name: 'read', at: 1_700_000_000_456 }],
        ...{ startedAt: 1_700_000_000_123, error: undefined },
      },
    ]);
    expect(given.spans()[0]!.attributes).not.toHaveProperty('none');
  });

  it('records the type of an error, but not its message', () => {
    given.tracing.start('one').end(new TypeError('hunter2'));
    given.tracing.start('two').end('503');
    expect(given.spans()).toMatchObject([{ error: 'TypeError' }, { error: '503' }]);
    expect(JSON.stringify(given.spans())).not.toContain('hunter2');
  });
});

it('closes even if the remaining spans cannot be exported', async () => {
  const hanging = { shutdown: () => new Promise<void>(() => undefined) };
  await new OtelTracing(new TracerProvider().getTracer('spec'), hanging, 1).close();
});
