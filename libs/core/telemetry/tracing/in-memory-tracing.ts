import { randomBytes } from 'node:crypto';
import {
  errorType,
  formatTraceparent,
  isSampled,
  isTraceparent,
  type SpanAttributes,
  type SpanOptions,
  type TraceSpan,
  type Tracing,
} from './tracing.js';

/** A span that `InMemoryTracing` has recorded, for the assertions of specs. */
export interface RecordedSpan {
  name: string;
  traceId: string;
  spanId: string;
  /** Id of the parent span; undefined if the span starts a trace. */
  parentSpanId: string | undefined;
  kind: NonNullable<SpanOptions['kind']>;
  attributes: SpanAttributes;
  /** Span ids of the spans that the span links to. */
  links: string[];
  events: { name: string; at: number }[];
  startedAt: number;
  /** Type of the error that the span ended with; undefined if it ended without an error. */
  error: string | undefined;
}

/** In-memory fake of `Tracing` for specs. It keeps the sampling decision of a parent; `samples` is for new traces. */
export class InMemoryTracing implements Tracing {
  /** The spans that have ended, in the order of their ends. */
  readonly spans: RecordedSpan[] = [];

  constructor(private readonly options: { samples: boolean } = { samples: true }) {}

  start(name: string, options: SpanOptions = {}): TraceSpan {
    const parent = isTraceparent(options.parent) ? options.parent : undefined;
    const span: RecordedSpan = {
      name,
      traceId: parent?.slice(3, 35) ?? randomBytes(16).toString('hex'),
      spanId: randomBytes(8).toString('hex'),
      parentSpanId: parent && spanIdOf(parent),
      kind: options.kind ?? 'internal',
      attributes: defined(options.attributes ?? {}),
      links: (options.links ?? []).map(spanIdOf),
      events: [],
      startedAt: options.startedAt ?? Date.now(),
      error: undefined,
    };
    const recording = parent ? isSampled(parent) : this.options.samples;
    return {
      recording,
      traceparent: formatTraceparent({ ...span, sampled: recording }),
      set: (attributes) => void Object.assign(span.attributes, defined(attributes)),
      event: (event, at) => void span.events.push({ name: event, at }),
      link: (traceparent) => void span.links.push(spanIdOf(traceparent)),
      end: (error) => {
        if (error !== undefined) span.error = errorType(error);
        if (recording) this.spans.push(span);
      },
    };
  }

  async close(): Promise<void> {
    return undefined;
  }
}

function spanIdOf(traceparent: string): string {
  return traceparent.slice(36, 52);
}

function defined(attributes: SpanAttributes): SpanAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
