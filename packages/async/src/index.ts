export { Backoff } from './backoff.js';
export { MinHeap } from './min-heap.js';
export { OutageTracker } from './outage-tracker.js';
export { RequestBatcher, type RequestBatcherOptions } from './request-batcher.js';
export { SharedCall } from './shared-call.js';
export { countSteps, stepsTaken, TimeSlice } from './time-slice.js';
export * from './with-any-signal.js';
export { within } from './within.js';
