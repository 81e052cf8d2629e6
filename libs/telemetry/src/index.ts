export * from './event-loop/index.js';
export * from './logger.js';
export * as metrics from './metrics.js';
export { metricsContentType, metricsText, onScrape, registry } from './metrics.js';
export * from './tracing/index.js';
