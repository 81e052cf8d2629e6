export { ActiveWork, activeWork } from './active-work.js';
export * from './event-loop-metrics.js';
export { watchEventLoop } from './watchdog.js';
