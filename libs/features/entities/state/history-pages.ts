import {
  maxHistoryVersions,
  AdaptivePageSize,
  QueryTooExpensiveError,
  type ScopedEntityReferenceAsOf,
  type EntityHistoryEvent,
  type EntityHistoryQuery,
  type EntitySnapshotReader,
  type EntityStoredVersionRange,
} from '#store';

/** Intended number of characters of all `data` in one page of an entity's events. */
const pageCharacters = 4 * 1024 * 1024;
/**
 * Number of versions in the first page of an entity's events: somewhat more than the usual distance between two
 * snapshots.
 */
const firstPage = 256;

/**
 * Yields the events of an entity in a range of versions, in pages ordered by version. The page size adapts so
 * that a page has a few megabytes, whatever the number and size of the events. A page that the store rejects
 * as too large is read again in smaller pages.
 */
export async function* historyPages(
  reader: Pick<EntitySnapshotReader, 'history'>,
  { span, ...query }: ScopedEntityReferenceAsOf & { span: EntityStoredVersionRange },
  signal?: AbortSignal,
): AsyncGenerator<EntityHistoryEvent[]> {
  const size = new AdaptivePageSize({ first: firstPage, most: maxHistoryVersions, bytes: pageCharacters });
  let after = span.first - 1;
  while (after < span.last) {
    const upTo = Math.min(after + size.rows, span.last);
    const page = await readPageIfSmallEnough(reader, { ...query, after, upTo }, signal);
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

/**
 * Reads one page of an entity's events. Returns undefined if the query is too expensive for ClickHouse and the page has
 * more than one version, so that the caller can read a smaller page.
 */
async function readPageIfSmallEnough(
  reader: Pick<EntitySnapshotReader, 'history'>,
  query: EntityHistoryQuery,
  signal: AbortSignal | undefined,
): Promise<EntityHistoryEvent[] | undefined> {
  try {
    return await reader.history(query, signal);
  } catch (error) {
    if (error instanceof QueryTooExpensiveError && query.upTo - query.after > 1) return undefined;
    throw error;
  }
}
