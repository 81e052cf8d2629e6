import type { ScopedEntityReferenceAsOf, EntitySnapshotReader } from '#store';
import { TimeSlicedEntityFold, type EntityStateAtVersion } from './time-sliced-entity-fold.js';
import { historyPages } from './history-pages.js';

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
