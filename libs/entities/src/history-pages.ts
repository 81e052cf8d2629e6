import {
  maxHistory,
  QueryTooExpensiveError,
  type EntityTimeQuery,
  type HistoryEvent,
  type HistoryQuery,
  type SnapshotReader,
  type VersionSpan,
} from '#store';

/** Characters of `data` that one page should have. */
const pageCharacters = 4 * 1024 * 1024;
/** Versions of the first page: as many as there are between two snapshots, and some. */
const firstPage = 256;

/**
 * The events of an entity of the versions of a span, in pages by version: so many at once as hold a few megabytes,
 * whatever their number and sizes. A page that the store finds too large is asked for in halves.
 */
export async function* historyPages(
  reader: Pick<SnapshotReader, 'history'>,
  { span, ...query }: EntityTimeQuery & { span: VersionSpan },
  signal?: AbortSignal,
): AsyncGenerator<HistoryEvent[]> {
  let versions = firstPage;
  let after = span.first - 1;
  while (after < span.last) {
    const upTo = Math.min(after + versions, span.last);
    const page = await pageOrNothing(reader, { ...query, after, upTo }, signal);
    if (!page) {
      versions = Math.ceil((upTo - after) / 2);
      continue;
    }
    yield page;
    after = upTo;
    versions = nextSize(versions, page);
  }
}

/** Undefined when it is too large, and can be smaller. */
async function pageOrNothing(
  reader: Pick<SnapshotReader, 'history'>,
  query: HistoryQuery,
  signal: AbortSignal | undefined,
): Promise<HistoryEvent[] | undefined> {
  try {
    return await reader.history(query, signal);
  } catch (error) {
    if (error instanceof QueryTooExpensiveError && query.upTo - query.after > 1) return undefined;
    throw error;
  }
}

/** Sizes of one entity's events are alike; growing fourfold at most keeps a page bounded where they are not. */
function nextSize(versions: number, page: readonly HistoryEvent[]): number {
  const characters = page.reduce((sum, { data }) => sum + data.length, 0);
  const fitting = Math.floor((versions * pageCharacters) / Math.max(characters, 1));
  return Math.max(1, Math.min(fitting, versions * 4, maxHistory));
}
