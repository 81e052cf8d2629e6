export { openTracing } from './open-tracing.js';
export * from './tracing-metrics.js';
export { isSampled, isTraceparent } from './traceparent.js';
export type { SpanAttributes, SpanOptions, TraceSpan, Tracing } from './tracing.js';
