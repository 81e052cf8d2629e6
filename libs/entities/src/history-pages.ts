import {
  maxHistory,
  PageSize,
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
 * whatever their number and sizes. A page that the store finds too large is asked for in smaller ones.
 */
export async function* historyPages(
  reader: Pick<SnapshotReader, 'history'>,
  { span, ...query }: EntityTimeQuery & { span: VersionSpan },
  signal?: AbortSignal,
): AsyncGenerator<HistoryEvent[]> {
  const size = new PageSize({ first: firstPage, most: maxHistory, bytes: pageCharacters });
  let after = span.first - 1;
  while (after < span.last) {
    const upTo = Math.min(after + size.rows, span.last);
    const page = await pageOrNothing(reader, { ...query, after, upTo }, signal);
    if (!page) {
      size.tooLarge(upTo - after);
      continue;
    }
    yield page;
    after = upTo;
    const characters = page.reduce((sum, { data }) => sum + data.length, 0);
    size.learn(size.rows, characters);
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
