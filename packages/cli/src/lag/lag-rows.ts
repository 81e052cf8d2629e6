import type { Health, JobHistoryItem, JobHistoryQuery, Tributary } from '#client';

/** A row of `tributary lag`: the lag of a consumer group, a projection or a pipeline. */
export interface LagRow {
  kind: 'group' | 'projection' | 'pipeline';
  name: string;
  status: string;
  /** The number of unread records; null if it is unknown. */
  lag: number | null;
  /** Time for which the oldest unread record has been waiting, at least; null if unknown. */
  seconds: number | null;
}

/**
 * The result of a check in the gateway's health answer; the counts after the lag are those of the check `definitions`, and
 * the servers those of the check `store`.
 */
export interface HealthCheckResult {
  status?: string;
  error?: string;
  lag_events?: number;
  lag_seconds?: number;
  unreadable?: number;
  failed_projections?: number;
  failed_pipelines?: number;
  servers_missing?: string[];
}

/** Returns the lag of the materializer's and the processor's groups from the gateway's health answer. */
export function groupLags({ checks }: Health): LagRow[] {
  const known = checks as Record<string, HealthCheckResult | undefined>;
  return ['materializer', 'processor'].flatMap((name) => {
    const check = known[name];
    if (!check) return [];
    const { status = 'unknown', lag_events = null, lag_seconds = null } = check;
    return [{ kind: 'group' as const, name, status, lag: lag_events, seconds: lag_seconds }];
  });
}

/** Returns the lag of each projection and each pipeline. */
export async function* definitionLags(client: Tributary, signal: AbortSignal): AsyncGenerator<LagRow> {
  for await (const { name, status, lag, lag_seconds } of client.projections.list({}, { signal }))
    yield { kind: 'projection', name, status, lag, seconds: lag_seconds };
  for await (const { name, status, lag, lag_seconds } of client.pipelines.list({}, { signal }))
    yield { kind: 'pipeline', name, status, lag, seconds: lag_seconds };
}

/** A row of `tributary lag --over SPAN`: what a job has done in that time. A value that was not measured is null. */
export interface JobHistoryRow {
  job: string;
  /** Mean number of events in a second. */
  per_second: number | null;
  failed: number | null;
  /** The largest number of records that waited. */
  most_lag: number | null;
  /** The largest age of the oldest of these records. */
  most_seconds: number | null;
}

/** Returns the rates and the largest lag of each job over a span of time. */
export async function* jobHistoryRows(
  client: Tributary,
  query: JobHistoryQuery,
  signal: AbortSignal,
): AsyncGenerator<JobHistoryRow> {
  let cursor: string | undefined;
  do {
    const { jobs, next_cursor } = await client.jobHistory({ ...query, cursor }, { signal });
    yield* jobs.map(rowOf);
    cursor = next_cursor ?? undefined;
  } while (cursor !== undefined);
}

function rowOf({
  job,
  processed_per_second,
  failed,
  lag_events,
  lag_seconds,
}: JobHistoryItem): JobHistoryRow {
  const sum = (values: readonly number[]) => values.reduce((all, value) => all + value, 0);
  const mean = (values: readonly number[]) => Math.round((sum(values) / values.length) * 1000) / 1000;
  const largest = (values: readonly number[]) => values.reduce((one, other) => Math.max(one, other), 0);
  const of = (values: readonly (number | null)[], compute: (known: readonly number[]) => number) =>
    measured(values).length === 0 ? null : compute(measured(values));
  return {
    job,
    per_second: of(processed_per_second, mean),
    failed: of(failed, sum),
    most_lag: of(lag_events, largest),
    most_seconds: of(lag_seconds, largest),
  };
}

function measured(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null);
}
