export * from './event-loop/index.js';
export * from './logger.js';
export * from './metrics.js';
export * from './tracing/index.js';
