import type { Health } from '#client';
import type { LagRow } from '../lag/lag-rows.js';
import { groupLags } from '../lag/lag-rows.js';
import { ok, warning, wrong, type CheckResult } from './finding.js';

/** The result of a check in the gateway's health answer; the counts are those of the check `definitions`. */
interface HealthCheck {
  status?: string;
  error?: string;
  unreadable?: number;
  failed_projections?: number;
  failed_pipelines?: number;
}

/** Seconds of lag above which a warning is shown. */
const mostSeconds = 10;

const advice: Record<string, string> = {
  materializer: 'Queries miss new events. Is an app `materializer` running, and is ClickHouse up?',
  processor: 'Projections and pipelines are late. Is an app `processor` running?',
};

/** Returns the findings of the gateway's health answer, except lag. */
export function healthFindings({ checks }: Health): CheckResult[] {
  const others = Object.entries(checks as Record<string, HealthCheck>).filter(([name]) => !(name in advice));
  return others.map(([name, check]) => {
    const { status, error = '' } = check;
    if (status === 'ok') return ok(name, 'It is up.');
    return status === 'degraded'
      ? degradedFinding(name, check)
      : wrong(name, error || String(status), `See the log of the gateway, and GET /health.`);
  });
}

function degradedFinding(name: string, check: HealthCheck): CheckResult {
  const { unreadable = 0, failed_projections = 0, failed_pipelines = 0 } = check;
  if (unreadable > 0)
    return warning(
      name,
      `The gateway cannot read ${unreadable} definitions, which a newer version of Tributary wrote.`,
      'Update all processes to the newest version that runs.',
    );
  return failed_projections + failed_pipelines > 0
    ? warning(
        name,
        `Failed projections: ${failed_projections}. Failed pipelines: ${failed_pipelines}.`,
        'Each has a finding with its reason, if the key has the scope definitions:read.',
      )
    : warning(name, 'It is degraded: it works, but an operator must act.', 'See GET /health.');
}

/** Returns the lag of the consumer groups as findings. */
export function lagFindings(health: Health): CheckResult[] {
  return groupLags(health).map((row) => lagFinding(row));
}

function lagFinding({ name, status, lag, seconds }: LagRow): CheckResult {
  if (status !== 'ok') return wrong(name, 'It lags far behind, or is not running.', advice[name]!);
  // A key that is limited to some streams gets no number of records.
  const detail = lag === null ? 'It is up.' : `${lag} records behind.`;
  return (seconds ?? 0) > mostSeconds
    ? warning(name, `${detail} ${seconds} s.`, advice[name]!)
    : ok(name, detail);
}
