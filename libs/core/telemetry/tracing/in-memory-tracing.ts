import { randomBytes } from 'node:crypto';
import { errorType } from './error-type.js';
import { formatTraceparent, isSampled, isTraceparent } from './traceparent.js';
import type { SpanAttributes, SpanOptions, TraceSpan, Tracing } from './tracing.js';

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

/**
 * In-memory fake of `Tracing` for specs. The fake keeps the sampling decision of a parent span, and uses `samples` for
 * new traces.
 */
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
    return new MemorySpan(span, recording, (ended) => this.spans.push(ended));
  }

  async close(): Promise<void> {
    return undefined;
  }
}

class MemorySpan implements TraceSpan {
  constructor(
    private readonly span: RecordedSpan,
    readonly recording: boolean,
    private readonly ended: (span: RecordedSpan) => void,
  ) {}

  get traceparent(): string {
    return formatTraceparent({ ...this.span, sampled: this.recording });
  }

  set(attributes: SpanAttributes): void {
    Object.assign(this.span.attributes, defined(attributes));
  }

  event(name: string, at: number): void {
    this.span.events.push({ name, at });
  }

  link(traceparent: string): void {
    this.span.links.push(spanIdOf(traceparent));
  }

  end(error?: unknown): void {
    if (error !== undefined) this.span.error = errorType(error);
    if (this.recording) this.ended(this.span);
  }
}

function spanIdOf(traceparent: string): string {
  return traceparent.slice(36, 52);
}

function defined(attributes: SpanAttributes): SpanAttributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
