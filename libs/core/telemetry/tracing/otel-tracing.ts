import { setTimeout as sleep } from 'node:timers/promises';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import { errorType } from './error-type.js';
import { formatTraceparent, isSampled, isTraceparent } from './traceparent.js';
import type { SpanAttributes, SpanOptions, TraceSpan, Tracing } from './tracing.js';

const kinds = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
  internal: SpanKind.INTERNAL,
};

/** Implements `Tracing` with an OpenTelemetry tracer. The module is loaded only if tracing is on. */
export class OtelTracing implements Tracing {
  constructor(
    private readonly tracer: Tracer,
    private readonly provider: { shutdown(): Promise<void> },
    /** Milliseconds that the export of the remaining spans may take at the shutdown. */
    private readonly closeMs = 3000,
  ) {}

  start(name: string, options: SpanOptions = {}): TraceSpan {
    const { kind, links, attributes, startedAt } = options;
    const settings = {
      kind: kinds[kind ?? 'internal'],
      ...(links && { links: links.map((link) => ({ context: contextOf(link, false) })) }),
      ...(attributes && { attributes }),
      ...(startedAt !== undefined && { startTime: startedAt }),
    };
    return new OtelSpan(this.tracer.startSpan(name, settings, parentOf(options)));
  }

  async close(): Promise<void> {
    await Promise.race([this.provider.shutdown(), sleep(this.closeMs, undefined, { ref: false })]);
  }
}

class OtelSpan implements TraceSpan {
  constructor(private readonly span: Span) {}

  get recording(): boolean {
    return this.span.isRecording();
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return formatTraceparent({ traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(attributes);
  }

  event(name: string, at: number): void {
    this.span.addEvent(name, at);
  }

  link(traceparent: string): void {
    this.span.addLink({ context: contextOf(traceparent, false) });
  }

  end(error?: unknown): void {
    if (error !== undefined) {
      this.span.setAttribute('error.type', errorType(error));
      this.span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.span.end();
  }
}

function parentOf({ parent, parentIsLocal }: SpanOptions): Context {
  if (!isTraceparent(parent)) return ROOT_CONTEXT;
  return trace.setSpanContext(ROOT_CONTEXT, contextOf(parent, !parentIsLocal));
}

function contextOf(traceparent: string, isRemote: boolean): SpanContext {
  return {
    traceId: traceparent.slice(3, 35),
    spanId: traceparent.slice(36, 52),
    traceFlags: isSampled(traceparent) ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote,
  };
}
