import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { metricsContentType, metricsText } from '#telemetry';
import { ProblemError } from '#api';
import { accessOf } from '../auth/authentication-result.js';
import type { Health, HealthKind, HealthReport } from './health.js';
import { NoQuery } from '../handlers/decorators.js';
import { parseQuery } from '../handlers/parse-input.js';
import { healthCheckDegraded, healthCheckPassing } from '../metrics.js';

/** Paths of the routes that answer while the process starts, runs or stops. */
export const systemPaths: readonly string[] = ['/health', '/health/live', '/health/ready', '/metrics'];

/**
 * Adds `/health`, `/health/live`, `/health/ready` and `/metrics`. On ports with keys, only `/health/live` needs no key.
 */
export function registerSystemRoutes(instance: FastifyInstance, health: Health): void {
  const read = { config: { scope: 'events:read' } };
  const open = { config: { public: true } };
  const answer = (kind: HealthKind) => async (request: FastifyRequest, reply: FastifyReply) => {
    parseQuery(NoQuery, request.query);
    return sendHealth(reply, health, { kind, total: !accessOf(request).patterns });
  };
  instance.get('/health', read, answer('all'));
  instance.get('/health/ready', read, answer('readiness'));
  instance.get('/health/live', open, answer('liveness'));
  instance.get('/metrics', read, async (request, reply) => {
    parseQuery(NoQuery, request.query);
    if (accessOf(request).patterns) {
      const detail = 'Metrics cover all streams: they need a key that is not limited to some streams.';
      throw new ProblemError('stream_forbidden', detail);
    }
    const { checks } = await health.report('all');
    for (const [check, { status }] of Object.entries(checks)) {
      healthCheckPassing.set({ check }, status === 'failing' ? 0 : 1);
      healthCheckDegraded.set({ check }, status === 'degraded' ? 1 : 0);
    }
    return reply.header('content-type', metricsContentType).send(await metricsText());
  });
}

/** @param total Whether the caller may see what the checks have counted in all streams. */
async function sendHealth(
  reply: FastifyReply,
  health: Health,
  { kind, total }: { kind: HealthKind; total: boolean },
): Promise<FastifyReply> {
  const report = await health.report(kind);
  const { healthy } = report;
  const checks = total ? report.checks : withoutTotals(report.checks);
  // Only `/health` shows it: probes must not remove a process because a pipeline has failed.
  const isDegraded = kind === 'all' && Object.values(checks).some((check) => check.status === 'degraded');
  const passing = isDegraded ? 'degraded' : 'ok';
  const status = healthy ? passing : (health.unready ?? 'failing');
  return reply
    .code(healthy ? 200 : 503)
    .header('cache-control', 'no-store')
    .send({ status, version: health.version, uptime_seconds: health.uptimeSeconds, checks });
}

/**
 * Returns only the statuses and durations of the checks. Counts and error texts tell a key that is limited to some
 * streams, or a caller without a key, how many other streams, failed jobs and unread events there are. `degraded` is
 * shown as `ok`: it tells that a job has failed that the caller perhaps must not know.
 */
function withoutTotals(checks: HealthReport['checks']): HealthReport['checks'] {
  const shown = Object.entries(checks).map(([name, { status, ...details }]) => {
    const durations = Object.entries(details).filter(([detail]) => detail.endsWith('_seconds'));
    const result = { status: status === 'degraded' ? 'ok' : status, ...Object.fromEntries(durations) };
    return [name, result] as const;
  });
  return Object.fromEntries(shown);
}
