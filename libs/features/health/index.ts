import type { Feature } from '#app';
import { HealthHistoryModule } from './health.module.js';

/** Health checks, lag of all consumer groups, and their history. */
export const health: Feature = { name: 'health', gateway: HealthHistoryModule };

export { HealthHistory } from './health-history.js';
export { JobHistory } from './jobs/job-history.js';
export { HealthModule } from './health.module.js';
export { MaterializerLagReader } from './materializer-lag-reader.js';
