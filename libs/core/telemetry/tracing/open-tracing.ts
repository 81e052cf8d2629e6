import type { Tracing, TracingOptions } from './tracing.js';

/** Opens tracing if an OTLP endpoint is set and `OTEL_SDK_DISABLED` is false; else OpenTelemetry is not loaded. */
export async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: disabled } = options.config;
  if (endpoint === undefined || disabled) return undefined;
  const { openOtlpTracing } = await import('./otlp-tracing.js');
  return openOtlpTracing(options, endpoint);
}
