import { hostname } from 'node:os';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider, type SpanExporter } from '@opentelemetry/sdk-trace';
import { OtelTracing } from './otel-tracing.js';
import { otlpHeaders } from './otlp-headers.js';
import { FailureLoggingExporter } from './failure-logging-exporter.js';
import { samplerOf } from './sampler-of.js';
import type { TracingOptions, TracingConfig } from './tracing-options.js';
import type { Tracing } from './tracing.js';

/** Maximum number of spans that wait for their export; further spans are dropped. */
const queuedSpans = 2048;
/**
 * `exportEveryMs`: milliseconds between exports of batches that are not full. `exportMs`: time limit of an export with
 * its retries.
 */
const exportEveryMs = 2000;
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
