import type { HealthReport } from './health.js';
import { healthCheckPassing } from '../metrics.js';

/**
 * Sets a metric for each check of a health report: 1 if it passes, also if it is degraded, and 0 if it fails. The label
 * of the metric is the name of the registered check, so there are few label values.
 */
export function exportHealthMetrics({ checks }: HealthReport): void {
  for (const [check, { status }] of Object.entries(checks)) {
    healthCheckPassing.set({ check }, status === 'failing' ? 0 : 1);
  }
}
