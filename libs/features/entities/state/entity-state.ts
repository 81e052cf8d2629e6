import { AdaptivePageSize, QueryTooExpensiveError } from '#store';
import type { EntitySnapshotReader } from '../snapshots/clickhouse-entity-snapshot-store.js';
import {
  type ScopedEntityReferenceAsOf,
  maxHistoryVersions,
  type EntityHistoryEvent,
  type EntityStoredVersionRange,
} from '../snapshots/entity-snapshot.js';
import { TimeSlicedEntityFold, type EntityStateAtVersion } from './time-sliced-entity-fold.js';

/** A query for the state of one entity, optionally up to a time or a version. */
interface EntityStateQuery extends ScopedEntityReferenceAsOf {
  /** The state includes only events with a version up to this one, inclusive. */
  upTo?: number;
}

/**
 * Returns the state of an entity: the fold (JSON merge patch) of the `data` of its stored events, ordered by version.
 * The fold starts from the nearest snapshot and reads the later events page by page. With `asOf`, the fold includes
 * only events with a timestamp up to `asOf`, still ordered by version; then a snapshot is used only if all its events
 * are within `asOf`. Returns undefined if no event matches.
 * @throws EntityStateTooLargeError @throws QueryTooExpensiveError @throws StoreUnavailableError @throws the signal's
 *   reason
 */
export async function entityState(
  reader: Pick<EntitySnapshotReader, 'versionRange' | 'history' | 'nearest'>,
  query: EntityStateQuery,
  signal?: AbortSignal,
): Promise<EntityStateAtVersion | undefined> {
  const { upTo, ...question } = query;
  const most = upTo ?? Number.MAX_SAFE_INTEGER;
  const [stored, from] = await Promise.all([
    reader.versionRange(question, signal),
    reader.nearest({ ...question, upTo: most }, signal),
  ]);
  if (!stored) return undefined;
  const fold = new TimeSlicedEntityFold(from);
  const span = { first: from ? from.version + 1 : stored.first, last: Math.min(stored.last, most) };
  for await (const page of historyPages(reader, { ...question, span }, signal)) {
    await fold.add(page, signal);
  }
  return fold.result();
}

/** Intended number of characters of all `data` in one page of an entity's events. */
const pageCharacters = 4 * 1024 * 1024;
/** Versions in the first page of an entity's events: somewhat more than the usual distance between two snapshots. */
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
    let page: EntityHistoryEvent[];
    try {
      page = await reader.history({ ...query, after, upTo }, signal);
    } catch (error) {
      if (!(error instanceof QueryTooExpensiveError) || upTo - after === 1) throw error;
      size.tooLarge(upTo - after);
      continue;
    }
    yield page;
    after = upTo;
    const characters = page.reduce((sum, { data }) => sum + data.length, 0);
    size.learn(size.rows, characters);
  }
}
