import type { Health } from '#client';
import type { LagRow } from '../lag/lag-rows.js';
import { groupLags } from '../lag/lag-rows.js';
import { ok, warning, wrong, type CheckResult } from './finding.js';

/** Seconds of lag above which a warning is shown. */
const mostSeconds = 10;

const advice: Record<string, string> = {
  materializer: 'Queries miss new events. Is an app `materializer` running, and is ClickHouse up?',
  processor: 'Projections and pipelines are late. Is an app `processor` running?',
};

/** Returns the findings of the gateway's health answer, except lag. */
export function healthFindings({ checks }: Health): CheckResult[] {
  const others = Object.entries(checks as Record<string, { status?: string; error?: string }>).filter(
    ([name]) => !(name in advice),
  );
  return others.map(([name, { status, error = '' }]) =>
    status === 'ok' || status === 'degraded'
      ? ok(name, 'It is up.')
      : wrong(name, error || String(status), `See the log of the gateway, and GET /health.`),
  );
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
