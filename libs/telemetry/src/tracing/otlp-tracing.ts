import { hostname } from 'node:os';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { OtelTracing } from './otel-tracing.js';
import { otlpHeaders } from './otlp-headers.js';
import { ReportingExporter } from './reporting-exporter.js';
import { samplerOf } from './sampler-of.js';
import type { OpenTracing, TracingConfig } from './tracing-options.js';
import type { Tracing } from './tracing.js';

/** Spans that wait to be sent; what comes on top is dropped. */
const queuedSpans = 2048;
/** Milliseconds between two exports that are not full, and that one may take with its repeats. */
const exportEveryMs = 2000;
const exportMs = 10_000;

/** Tracing to a collector, over OTLP/HTTP. An app never waits for it, and goes on without it. */
export async function openOtlpTracing(options: OpenTracing, endpoint: string): Promise<Tracing> {
  const { name, version, config, logger } = options;
  const exporter = new ReportingExporter(await otlpExporter(config, endpoint), logger);
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
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: queuedSpans,
        scheduledDelayMillis: exportEveryMs,
      }),
    ],
  });
  return new OtelTracing(provider.getTracer('tributary', version), provider);
}

async function otlpExporter(config: TracingConfig, endpoint: string): Promise<SpanExporter> {
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
