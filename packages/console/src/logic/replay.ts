import type { ReplayInput, ReplayReport } from '#client';
import { grouped } from './format.js';

/** Dead letters to replay: some by id, or all of a source that have not been replayed. */
export type ReplaySelection = { ids: readonly string[] } | { source: string };

/** The result of one or more requests. */
export interface ReplayResult extends Pick<
  ReplayReport,
  'dry_run' | 'matched' | 'replayed' | 'skipped' | 'failed'
> {
  /** Whether dead letters of the source remain, because there are more than one replay takes. */
  isPartial: boolean;
}

/** The API replays at most this number of ids in a request. */
const idsInRequest = 500;

/** One replay makes at most this number of requests, of up to a thousand dead letters each. */
const mostRequests = 100;

type Replay = (input: ReplayInput) => Promise<ReplayReport>;

/** Replays a selection with as many requests as it takes. */
export async function replayAll(selection: ReplaySelection, replay: Replay): Promise<ReplayResult> {
  if ('source' in selection) return replaySource(selection.source, replay);
  const reports: ReplayReport[] = [];
  for (let i = 0; i < selection.ids.length; i += idsInRequest)
    reports.push(await replay({ ids: selection.ids.slice(i, i + idsInRequest) }));
  return combined(reports);
}

async function replaySource(source: string, replay: Replay): Promise<ReplayResult> {
  const reports = [await replay({ source })];
  for (let cursor = reports[0]!.next_cursor; cursor !== null && reports.length < mostRequests;) {
    const report = await replay({ source, cursor });
    reports.push(report);
    cursor = report.next_cursor;
  }
  return combined(reports);
}

function combined(reports: readonly ReplayReport[]): ReplayResult {
  const sum = (name: 'matched' | 'replayed' | 'skipped') =>
    reports.reduce((total, report) => total + report[name], 0);
  return {
    dry_run: reports.some(({ dry_run }) => dry_run),
    matched: sum('matched'),
    replayed: sum('replayed'),
    skipped: sum('skipped'),
    failed: reports.flatMap(({ failed }) => failed),
    isPartial: reports.at(-1)?.has_more === true,
  };
}

/** Returns the counts of a result as a sentence. That of a dry run does not read like that of a replay. */
export function replayText({ dry_run, matched, replayed, skipped, failed, isPartial }: ReplayResult): string {
  const counts = [
    `${grouped(replayed)} of ${grouped(matched)} ${dry_run ? 'would be replayed' : 'were replayed'}`,
    skipped > 0 && `${grouped(skipped)} had been replayed before`,
    failed.length > 0 && `${grouped(failed.length)} ${dry_run ? 'cannot be replayed' : 'still fail'}`,
  ];
  const text = `${counts.filter(Boolean).join(', ')}.`;
  const rest = isPartial ? ' The source has more dead letters: repeat it for the others.' : '';
  return `${dry_run ? `Dry run, nothing was changed: ${text}` : text}${rest}`;
}

/** Returns the reasons of failures, the most frequent first, each with its dead letters. */
export function failureReasons(
  failed: ReplayResult['failed'],
): readonly [detail: string, ids: readonly string[]][] {
  const reasons = new Map<string, string[]>();
  for (const { id, detail } of failed) {
    const ids = reasons.get(detail);
    if (ids) ids.push(id);
    else reasons.set(detail, [id]);
  }
  return [...reasons].sort(([, a], [, b]) => b.length - a.length);
}
