import { visibleText, type PipelineWithStats, type ProjectionWithStats, type Tributary } from '#client';
import { warning, wrong, type CheckResult } from './finding.js';

type Job = Pick<ProjectionWithStats | PipelineWithStats, 'name' | 'status' | 'failure' | 'lag'> &
  Partial<Pick<PipelineWithStats, 'retrying'>>;

/** The remedies of a failure that a resume does not end, the cheapest first. */
const remedies = {
  projection: 'change its definition (PUT); at last reset it, which rebuilds it from the log',
  pipeline: 'change its definition (PUT); at last reset it, which emits everything again as new events',
};

/** Returns a finding for each projection and pipeline that an operator must act on. */
export async function definitionFindings(client: Tributary, signal: AbortSignal): Promise<CheckResult[]> {
  const findings: CheckResult[] = [];
  for await (const job of client.projections.list({}, { signal }))
    findings.push(...findingsOf('projection', job));
  for await (const job of client.pipelines.list({}, { signal }))
    findings.push(...findingsOf('pipeline', job));
  return findings;
}

function findingsOf(
  kind: keyof typeof remedies,
  { name, status, failure, lag, retrying }: Job,
): CheckResult[] {
  const check = `${kind} ${name}`;
  const resume = `POST /api/v1/${kind}s/${name}/resume`;
  if (failure !== null) {
    const advice = `Remove the cause, then ${resume}: it continues at its position. If it fails again, ${remedies[kind]}.`;
    return [wrong(check, `It has failed: ${visibleText(failure)}`, advice)];
  }
  if (status === 'paused')
    return [
      warning(check, `It is paused, ${lag} records behind.`, `${resume} continues it at its position.`),
    ];
  if (retrying) {
    const detail = `Deliveries are repeated since ${retrying.since}: ${visibleText(retrying.last_answer)}`;
    return [warning(check, detail, 'Repair the receiver: the pipeline continues by itself.')];
  }
  return [];
}
