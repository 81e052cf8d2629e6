import {
  type Health,
  visibleText,
  type PipelineWithStats,
  type ProjectionWithStats,
  type SubscriptionWithStats,
  type Tributary,
  type DeadLetter,
} from '#client';
import { groupLags, type HealthCheckResult, type LagRow } from '../lag/lag-rows.js';

/** The result of one check of `doctor`. */
export interface CheckResult {
  check: string;
  verdict: 'ok' | 'warning' | 'wrong';
  /** What the check has found, as a sentence. */
  detail: string;
  /** The recommended action; empty if none is needed. */
  advice: string;
}

export function ok(check: string, detail: string): CheckResult {
  return { check, verdict: 'ok', detail, advice: '' };
}

export function warning(check: string, detail: string, advice: string): CheckResult {
  return { check, verdict: 'warning', detail, advice };
}

export function wrong(check: string, detail: string, advice: string): CheckResult {
  return { check, verdict: 'wrong', detail, advice };
}

/** Seconds of lag above which a warning is shown. */
const mostSeconds = 10;

const advice: Record<string, string> = {
  materializer: 'Queries miss new events. Is an app `materializer` running, and is ClickHouse up?',
  processor: 'Projections and pipelines are late. Is an app `processor` running?',
};

/** Returns the findings of the gateway's health answer, except lag. */
export function healthFindings({ checks }: Health): CheckResult[] {
  const others = Object.entries(checks as Record<string, HealthCheckResult>).filter(
    ([name]) => !(name in advice),
  );
  return others.map(([name, check]) => {
    const { status, error = '' } = check;
    if (status === 'ok') return ok(name, 'It is up.');
    return status === 'degraded'
      ? degradedFinding(name, check)
      : wrong(name, error || String(status), `See the log of the gateway, and GET /health.`);
  });
}

function degradedFinding(name: string, check: HealthCheckResult): CheckResult {
  const { unreadable = 0, failed_projections = 0, failed_pipelines = 0, servers_missing = [] } = check;
  if (servers_missing.length > 0)
    return warning(
      name,
      `Servers of ClickHouse are down, or lack rows of the others: ${servers_missing.map((server) => visibleText(server)).join(', ')}.`,
      'Start them. The others of their shards answer and store meanwhile.',
    );
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
  return groupLags(health).map(lagFinding);
}

function lagFinding({ name, status, lag, seconds }: LagRow): CheckResult {
  if (status !== 'ok') return wrong(name, 'It lags far behind, or is not running.', advice[name]!);
  // A key that is limited to some streams gets no number of records.
  const detail = lag === null ? 'It is up.' : `${lag} records behind.`;
  return (seconds ?? 0) > mostSeconds
    ? warning(name, `${detail} ${seconds} s.`, advice[name]!)
    : ok(name, detail);
}

type Job = Pick<ProjectionWithStats | PipelineWithStats, 'name' | 'status' | 'failure' | 'lag'> &
  Partial<Pick<PipelineWithStats, 'retrying'>>;

/** The sentence that names the runbook of an alert, which explains causes and remedies. */
function runbook(alert: string): string {
  return `Runbook: docs/runbooks/${alert}.md`;
}

/** What a reset does. */
const resets = {
  projection: 'it is rebuilt from the log',
  pipeline: 'it emits everything again as new events, and calls its webhooks again',
};

/** Returns a finding for each projection, pipeline and subscription that an operator must act on. */
export async function definitionFindings(client: Tributary, signal: AbortSignal): Promise<CheckResult[]> {
  const findings: CheckResult[] = [];
  for await (const job of client.projections.list({}, { signal }))
    findings.push(...findingsOf('projection', job));
  for await (const job of client.pipelines.list({}, { signal }))
    findings.push(...findingsOf('pipeline', job));
  for await (const subscription of client.subscriptions.list({}, { signal }))
    findings.push(...subscriptionFindings(subscription));
  return findings;
}

function subscriptionFindings({ name, status, failure, parked }: SubscriptionWithStats): CheckResult[] {
  const check = `subscription ${name}`;
  const resume = `\`tributary resume ${check}\``;
  if (failure !== null) {
    const advice = `Remove the cause, then ${resume}: it continues at its position.`;
    return [wrong(check, `It has failed: ${visibleText(failure)}`, advice)];
  }
  const paused = warning(check, 'It is paused: workers receive no events.', `${resume} continues it.`);
  const unprocessed = warning(
    check,
    `${parked} events are parked: workers have rejected them, or did not acknowledge them.`,
    `\`tributary subscriptions parked ${name}\` shows the reasons, \`tributary subscriptions replay ${name} --all\` hands them out again.`,
  );
  return [...(status === 'paused' ? [paused] : []), ...(parked > 0 ? [unprocessed] : [])];
}

function findingsOf(kind: keyof typeof resets, { name, status, failure, lag, retrying }: Job): CheckResult[] {
  const check = `${kind} ${name}`;
  const resume = `\`tributary resume ${check}\``;
  if (failure !== null) {
    // A definition whose checkpoint is lost says so, and a resume cannot help it.
    const advice = new RegExp(`Reset the ${kind}\\b`).test(failure)
      ? `\`tributary reset ${check}\` starts it again: ${resets[kind]}.`
      : `Remove the cause, then ${resume}: it continues at its position. If it fails again, change its definition; at last reset it (\`tributary reset\`): ${resets[kind]}.`;
    const alert = kind === 'projection' ? 'TributaryProjectionFailed' : 'TributaryPipelineFailed';
    return [wrong(check, `It has failed: ${visibleText(failure)}`, `${advice} ${runbook(alert)}`)];
  }
  if (status === 'paused')
    return [
      warning(check, `It is paused, ${lag} records behind.`, `${resume} continues it at its position.`),
    ];
  if (retrying) {
    const detail = `Deliveries are repeated since ${retrying.since}: ${visibleText(retrying.last_answer)}`;
    const advice = `Repair the receiver: the pipeline continues by itself. ${runbook('TributaryWebhooksFailing')}`;
    return [warning(check, detail, advice)];
  }
  return [];
}

/** Returns what repairs the dead letters of a source. Those of a projection cannot be replayed. */
function remedyOf(source: string): string {
  const name = /^projection:(.*)/.exec(source)?.[1];
  return name !== undefined
    ? `Change the definition of the projection ${name}: its next generation folds these events if it can.`
    : `\`tributary dead-letters replay --source ${source}\` repeats them when the cause is removed.`;
}

/** The time in milliseconds in which dead letters are counted. */
const recentMs = 3_600_000;

/** The number of dead letters that are read. */
const most = 100;

/** Returns a warning for each source that has made dead letters in the last hour and not replayed them. */
export async function deadLetterFindings(client: Tributary, signal: AbortSignal): Promise<CheckResult[]> {
  const since = new Date(Date.now() - recentMs).toISOString();
  const page = await client.deadLetters.list({ since, replayed: false, limit: most }, { signal }).first();
  const bySource = new Map<string, DeadLetter[]>();
  for (const letter of page.items)
    bySource.set(letter.source, [...(bySource.get(letter.source) ?? []), letter]);
  if (bySource.size === 0) return [ok('dead letters', 'None in the last hour.')];
  return [...bySource].map(([source, letters]) => finding(source, letters, page.has_more));
}

function finding(source: string, letters: readonly DeadLetter[], hasMore: boolean): CheckResult {
  const count = `${hasMore ? 'At least ' : ''}${letters.length} in the last hour`;
  const { stream, error } = letters[0]!;
  const detail = `${count}, such as one of the stream ${stream}: ${visibleText(error)}`;
  const command = `tributary dead-letters list --source ${source} --replayed no`;
  return warning(
    `dead letters of ${source}`,
    detail,
    `\`${command}\` lists them. ${remedyOf(source)} ${runbook('TributaryDeadLetters')}`,
  );
}
