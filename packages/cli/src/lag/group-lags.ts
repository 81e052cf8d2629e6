import type { Health, Tributary } from '#client';

/** How far something is behind the log. */
export interface LagRow {
  kind: 'group' | 'projection' | 'pipeline';
  name: string;
  status: string;
  /** Records that it has not read; null where nobody knows. */
  lag: number | null;
  /** Seconds since the oldest of them was written; null where nobody knows. */
  seconds: number | null;
}

interface Check {
  status?: string;
  error?: string;
  lag_events?: number;
  lag_seconds?: number;
}

/** The lag of the groups that move events to the store and fold them, as the health of the gateway has it. */
export function groupLags({ checks }: Health): LagRow[] {
  const known = checks as Record<string, Check | undefined>;
  return ['materializer', 'processor'].flatMap((name) => {
    const check = known[name];
    if (!check) return [];
    const { status = 'unknown', lag_events = null, lag_seconds = null } = check;
    return [{ kind: 'group' as const, name, status, lag: lag_events, seconds: lag_seconds }];
  });
}

/** The lag of each projection and each pipeline. */
export async function* definitionLags(client: Tributary, signal: AbortSignal): AsyncGenerator<LagRow> {
  for await (const { name, status, lag } of client.projections.list({}, { signal }))
    yield { kind: 'projection', name, status, lag, seconds: null };
  for await (const { name, status, lag } of client.pipelines.list({}, { signal }))
    yield { kind: 'pipeline', name, status, lag, seconds: null };
}
