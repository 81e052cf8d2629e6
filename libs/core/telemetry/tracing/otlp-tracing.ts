import { hostname } from 'node:os';
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
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
  type SpanExporter,
} from '@opentelemetry/sdk-trace';
import type { TracesSamplerName } from '#api';
import { FailureLoggingExporter } from './failure-logging-exporter.js';
import {
  errorType,
  formatTraceparent,
  isSampled,
  isTraceparent,
  type SpanAttributes,
  type SpanOptions,
  type TraceSpan,
  type Tracing,
  type TracingOptions,
} from './tracing.js';

/** Maximum number of spans that wait for their export; further spans are dropped. */
const queuedSpans = 2048;
/** Milliseconds between exports of batches that are not full. */
const exportEveryMs = 2000;
/** Milliseconds that an export may take with its retries. */
const exportMs = 10_000;

/**
 * Opens tracing that exports spans to an OpenTelemetry collector over OTLP/HTTP. The app never waits for the collector,
 * except for a few seconds at its shutdown, and works without it.
 */
export async function openOtlpTracing(options: TracingOptions, endpoint: string): Promise<Tracing> {
  const { name, version, config, logger } = options;
  const exporter = new FailureLoggingExporter(await otlpExporter(config, endpoint), logger);
  const provider = new TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': config.OTEL_SERVICE_NAME ?? `tributary-${name}`,
        'service.version': version,
        'service.instance.id': `${hostname()}:${process.pid}`,
      }),
    ),
    sampler: samplerOf(config.OTEL_TRACES_SAMPLER, config.OTEL_TRACES_SAMPLER_ARG),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: queuedSpans, scheduledDelayMillis: exportEveryMs }),
    ],
  });
  return new OtelTracing(provider.getTracer('tributary', version), provider);
}

async function otlpExporter(config: TracingOptions['config'], endpoint: string): Promise<SpanExporter> {
  const { OTLPTraceExporter } =
    config.OTEL_EXPORTER_OTLP_PROTOCOL === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: otlpHeaders(config.OTEL_EXPORTER_OTLP_HEADERS),
    timeoutMillis: exportMs,
    concurrencyLimit: 2,
  });
}

/** Parses `OTEL_EXPORTER_OTLP_HEADERS`: `name=value,name=value` with percent-encoded values. */
function otlpHeaders(text = ''): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
      return [name.trim(), decodeURIComponent(value.trim())];
    }),
  );
}

/**
 * Returns OpenTelemetry's sampler for a value of `OTEL_TRACES_SAMPLER`. @param share Share of the traces that a sampler
 * with a ratio records, from 0 to 1
 */
export function samplerOf(name: TracesSamplerName, share: number): Sampler {
  const prefix = 'parentbased_';
  if (name.startsWith(prefix))
    return new ParentBasedSampler({ root: samplerOf(name.slice(prefix.length) as TracesSamplerName, share) });
  if (name === 'always_on') return new AlwaysOnSampler();
  return name === 'always_off' ? new AlwaysOffSampler() : new TraceIdRatioBasedSampler(share);
}

/** Implements `Tracing` with an OpenTelemetry tracer. */
export class OtelTracing implements Tracing {
  constructor(
    private readonly tracer: Tracer,
    private readonly provider: { shutdown(): Promise<void> },
    /** Milliseconds that the export of the remaining spans may take at the shutdown. */
    private readonly closeMs = 3000,
  ) {}

  start(name: string, options: SpanOptions = {}): TraceSpan {
    const { kind = 'internal', links, attributes, startedAt } = options;
    const settings = {
      kind: SpanKind[kind.toUpperCase() as Uppercase<typeof kind>],
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
