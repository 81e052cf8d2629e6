export { RecentWorkTracker, activeWork } from './event-loop/recent-work-tracker.js';
export { watchEventLoop } from './event-loop/watchdog.js';
export * from './logger.js';
export * from './metrics.js';
export { openTracing } from './tracing/open-tracing.js';
export { isSampled, isTraceparent } from './tracing/tracing.js';
export type { SpanAttributes, SpanOptions, TraceSpan, Tracing } from './tracing/tracing.js';
