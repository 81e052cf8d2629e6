import { metrics } from '#telemetry';
import type { HealthReport } from './health.js';

/**
 * Exports each check of a report as a metric. The label values are the names of the registered checks: a small, fixed
 * set.
 */
export function exportHealthMetrics({ checks }: HealthReport): void {
  for (const [check, { status }] of Object.entries(checks)) {
    metrics.healthCheckPassing.set({ check }, status === 'ok' ? 1 : 0);
  }
}
