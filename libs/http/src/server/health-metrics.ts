import { metrics } from '#telemetry';
import type { HealthReport } from './health.js';

/** Shows each check of a report as a metric. Their names are those that the apps register: a handful. */
export function showChecks({ checks }: HealthReport): void {
  for (const [check, { status }] of Object.entries(checks)) {
    metrics.healthCheckPassing.set({ check }, status === 'ok' ? 1 : 0);
  }
}
