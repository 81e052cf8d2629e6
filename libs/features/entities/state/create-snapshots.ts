import { allStreams } from '#api';
import { TimeSlice } from '#async';
import type { EpochMicros } from '#json';
import { QueryTooExpensiveError } from '#store';
import type { EntitySnapshotBatchStore } from '../snapshots/clickhouse-entity-snapshot-store.js';
import type { EntitySnapshot, EntityHistoryEvent } from '../snapshots/entity-snapshot.js';
import { createSnapshot } from './create-snapshot.js';
import { TimeSlicedEntityFold, EntityStateTooLargeError } from './time-sliced-entity-fold.js';
import { EntityStateAccumulator } from './entity-state-accumulator.js';

/** Entities of one stream, the versions at which their snapshots are due, and the current time. */
interface SnapshotsRequest {
  stream: string;
  entities: ReadonlyMap<string, DueSnapshotAndLatestVersion>;
  now: EpochMicros;
  /**
   * Called with the state of an entity after the version `latest`, for a caller that continues to fold. Not called if
   * the state or the events are too large, or if events between the snapshot and `latest` are missing.
   */
  onFolded?: (entityId: string, folded: EntityStateAccumulator) => void;
}

/** Versions of one entity. */
export interface DueSnapshotAndLatestVersion {
  /** The highest version that the snapshot may include; 0 if no snapshot is due. */
  upTo: number;
  /** The latest stored version, at least `upTo`. */
  latest: number;
}

/** Numbers of entities by what happened to their snapshot; an entity without new events is not counted. */
interface SnapshotCounts {
  created: number;
  /** Events were erased or expired while the snapshot was saved. */
  removedMeanwhile: number;
  /** The state is too large, or its events cannot be read within the limits of a query. */
  tooLarge: number;
}

/** Most entities whose snapshots are made together. */
const mostEntities = 2_000;
/** Most events that one query reads for many entities. */
const mostEvents = 32_768;
/** Most events of one entity that are read together with those of others. More events are read in pages. */
const mostOfOneEntity = 1_024;

/**
 * Saves an automatic snapshot of each entity, computed as by `createSnapshot`, with a few queries for many entities
 * together.
 * @throws StoreUnavailableError @throws the signal's reason
 */
export async function createSnapshots(
  store: EntitySnapshotBatchStore,
  { entities: due, ...request }: SnapshotsRequest,
  signal?: AbortSignal,
): Promise<SnapshotCounts> {
  const counts: SnapshotCounts = { created: 0, removedMeanwhile: 0, tooLarge: 0 };
  const batch = { ...request, store, counts, signal };
  const entities = [...due].map(([entityId, versions]) => ({ entityId, ...versions }));
  for (let from = 0; from < entities.length; from += mostEntities)
    await createHalving(batch, entities.slice(from, from + mostEntities));
  return counts;
}

interface SnapshotBatch extends Omit<SnapshotsRequest, 'entities'> {
  store: EntitySnapshotBatchStore;
  counts: SnapshotCounts;
  signal: AbortSignal | undefined;
}

type DueEntity = DueSnapshotAndLatestVersion & { entityId: string };

/** An entity with the version of the snapshot from which its events are folded. */
type EntityAfterBase = DueEntity & { after: number };

/**
 * Creates the snapshots of entities. If their states or events are too large for one query, creates those of each half;
 * the events of a single entity are then read in pages.
 */
async function createHalving(batch: SnapshotBatch, entities: readonly DueEntity[]): Promise<void> {
  try {
    await createTogether(batch, entities);
  } catch (error) {
    if (!(error instanceof QueryTooExpensiveError)) throw error;
    const [first] = entities;
    if (entities.length === 1) return first!.upTo > 0 ? await createOne(batch, first!) : undefined;
    const half = entities.length >> 1;
    await createHalving(batch, entities.slice(0, half));
    await createHalving(batch, entities.slice(half));
  }
}

async function createTogether(batch: SnapshotBatch, entities: readonly DueEntity[]): Promise<void> {
  const { store, stream, signal } = batch;
  const bases = await store.nearestOf({ stream, entities }, signal);
  const reached = (entity: DueEntity) => (batch.onFolded ? entity.latest : entity.upTo);
  const missing: EntityAfterBase[] = [];
  for (const entity of entities) {
    const base = bases.get(entity.entityId);
    const after = base?.version ?? 0;
    if (after < reached(entity)) missing.push({ ...entity, latest: reached(entity), after });
    else if (base) batch.onFolded?.(entity.entityId, new EntityStateAccumulator(base));
  }
  const isLong = ({ after, latest }: EntityAfterBase) => latest - after > mostOfOneEntity;
  for (const entity of missing.filter(isLong)) if (entity.after < entity.upTo) await createOne(batch, entity);
  for (const part of parts(missing.filter((entity) => !isLong(entity)))) {
    const ranges = part.map(({ entityId, after, latest }) => ({ entityId, after, upTo: latest }));
    const histories = await store.historyOf({ stream, entities: ranges }, signal);
    await save(batch, await foldAll(batch, part, { histories, bases }));
  }
}

/** Divides entities into parts with at most `mostEvents` events. */
function* parts(entities: readonly EntityAfterBase[]): Generator<EntityAfterBase[]> {
  let part: EntityAfterBase[] = [];
  let events = 0;
  for (const entity of entities) {
    const own = entity.latest - entity.after;
    if (events + own > mostEvents) {
      yield part;
      part = [];
      events = 0;
    }
    part.push(entity);
    events += own;
  }
  if (part.length > 0) yield part;
}

async function createOne(batch: SnapshotBatch, { entityId, upTo }: DueEntity): Promise<void> {
  const { store, stream, now, counts, signal } = batch;
  const request = { access: allStreams, stream, entityId, version: upTo, reason: 'automatic', now } as const;
  try {
    const made = await createSnapshot(store, request, signal);
    if (made === 'removed_meanwhile') counts.removedMeanwhile++;
    else if (made !== 'no_events' && made.created) counts.created++;
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    counts.tooLarge++;
  }
}

/** Returns the due snapshots of entities, each computed from the snapshot in `stored.bases`, if there is one. */
async function foldAll(
  batch: SnapshotBatch,
  entities: readonly EntityAfterBase[],
  stored: { histories: Map<string, EntityHistoryEvent[]>; bases: Map<string, EntitySnapshot> },
): Promise<EntitySnapshot[]> {
  const { stream, now, signal, onFolded, counts } = batch;
  const due: EntitySnapshot[] = [];
  const turn = new TimeSlice();
  for (const entity of entities) {
    const { entityId, upTo } = entity;
    const base = stored.bases.get(entityId);
    if (turn.over(base?.state.length ?? 0)) await turn.end();
    const events = stored.histories.get(entityId) ?? [];
    const included = events.filter(({ version }) => version <= upTo);
    try {
      const fold = new TimeSlicedEntityFold(base, turn);
      await fold.add(included, signal);
      const content = included.length > 0 ? fold.folded.content() : undefined;
      if (onFolded && isComplete(entity, events, base)) {
        const isFolded = await addIfSmall(fold, events.slice(included.length), signal);
        if (isFolded) onFolded(entityId, fold.folded);
      }
      if (content)
        due.push({ stream, entity_id: entityId, ...content, created_at: now, reason: 'automatic' });
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      counts.tooLarge++;
    }
  }
  return due;
}

/** Returns whether the events have every version after the base, or after the first stored event, up to the latest. */
function isComplete(
  { latest }: EntityAfterBase,
  events: readonly EntityHistoryEvent[],
  base: EntitySnapshot | undefined,
): boolean {
  const first = base ? base.version + 1 : events[0]?.version;
  return first !== undefined && first + events.length - 1 === latest && events.at(-1)?.version === latest;
}

async function addIfSmall(
  fold: TimeSlicedEntityFold,
  events: readonly EntityHistoryEvent[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    await fold.add(events, signal);
    return true;
  } catch (error) {
    if (!isTooLarge(error)) throw error;
    return false;
  }
}

/** Saves snapshots, then removes those whose events were erased or expired in the meantime. */
async function save(
  { store, stream, counts, signal }: SnapshotBatch,
  snapshots: readonly EntitySnapshot[],
): Promise<void> {
  if (snapshots.length === 0) return;
  await store.saveAll(snapshots);
  const kept = new Set((await store.current(snapshots, signal)).map(({ entity_id }) => entity_id));
  const removed = snapshots.filter(({ entity_id }) => !kept.has(entity_id));
  for (const { entity_id: entityId } of removed) await store.removeStale({ stream, entityId });
  counts.created += kept.size;
  counts.removedMeanwhile += removed.length;
}

/** Whether the state of one entity cannot be computed: it is too large, or an event is nested too deeply to be folded. */
function isTooLarge(error: unknown): boolean {
  return [EntityStateTooLargeError, QueryTooExpensiveError, SyntaxError].some(
    (type) => error instanceof type,
  );
}
