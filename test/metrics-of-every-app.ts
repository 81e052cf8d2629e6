import { registry } from '#telemetry';
import '../apps/gateway/src/start.js';
import '../apps/ingest/src/start.js';
import '../apps/materializer/src/start.js';
import '../apps/processor/src/start.js';

interface MetricDefinition {
  name: string;
  type: string;
  help: string;
  labelNames: string[];
}

/** The metrics that `/metrics` of any app contains. */
export const metricsOfEveryApp = registry.getMetricsAsArray() as unknown as MetricDefinition[];
