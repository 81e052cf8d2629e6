export { openTracing } from './open-tracing.js';
export { isSampled, isTraceparent } from './traceparent.js';
export type { SpanAttributes, SpanOptions, TraceSpan, Tracing } from './tracing.js';
