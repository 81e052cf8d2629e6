import type { Health, Tributary } from '#client';

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
