import type { OpenTracing } from './tracing-options.js';
import type { Tracing } from './tracing.js';

/** Undefined unless it is configured; what is needed for it is not even loaded then. */
export async function openTracing(options: OpenTracing): Promise<Tracing | undefined> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: disabled } = options.config;
  if (endpoint === undefined || disabled) return undefined;
  const { openOtlpTracing } = await import('./otlp-tracing.js');
  return openOtlpTracing(options, endpoint);
}
