export { Backoff } from './backoff.js';
export { Outage } from './outage.js';
export { countSteps, stepsTaken } from './steps.js';
export { Turn } from './turn.js';
export * from './with-any-signal.js';
