import { allStreams } from '#api';
import { TimeSlice } from '#async';
import type { EpochMicros } from '#event';
import {
  QueryTooExpensiveError,
  type EntitySnapshot,
  type EntityHistoryRange,
  type EntityHistoryEvent,
  type EntitySnapshotBatchStore,
  type EntitySnapshotStore,
} from '#store';
import { createSnapshot } from './create-snapshot.js';
import { EntityFold } from './entity-fold.js';
import { EntityStateTooLargeError } from './errors.js';

/** Entities of one stream with the highest version that the snapshot of each may include, and the current time. */
export interface SnapshotsRequest {
  stream: string;
  upTo: ReadonlyMap<string, number>;
  now: EpochMicros;
}

/** Numbers of entities by what happened to their snapshot; an entity without new events is not counted. */
export interface SnapshotCounts {
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
  store: EntitySnapshotStore & EntitySnapshotBatchStore,
  { upTo, ...request }: SnapshotsRequest,
  signal?: AbortSignal,
): Promise<SnapshotCounts> {
  const counts: SnapshotCounts = { created: 0, removedMeanwhile: 0, tooLarge: 0 };
  const batch = { ...request, store, counts, signal };
  const entities = [...upTo].map(([entityId, version]) => ({ entityId, upTo: version }));
  for (let from = 0; from < entities.length; from += mostEntities)
    await createHalving(batch, entities.slice(from, from + mostEntities));
  return counts;
}

interface SnapshotBatch extends Omit<SnapshotsRequest, 'upTo'> {
  store: EntitySnapshotStore & EntitySnapshotBatchStore;
  counts: SnapshotCounts;
  signal: AbortSignal | undefined;
}

type Entity = Pick<EntityHistoryRange, 'entityId' | 'upTo'>;

/** Creates the snapshots of entities. If their states or events are too large for one query, creates those of each half. */
async function createHalving(batch: SnapshotBatch, entities: readonly Entity[]): Promise<void> {
  if (entities.length === 1) return await createOne(batch, entities[0]!);
  try {
    await createTogether(batch, entities);
  } catch (error) {
    if (!(error instanceof QueryTooExpensiveError)) throw error;
    const half = entities.length >> 1;
    await createHalving(batch, entities.slice(0, half));
    await createHalving(batch, entities.slice(half));
  }
}

async function createTogether(batch: SnapshotBatch, entities: readonly Entity[]): Promise<void> {
  const { store, stream, signal } = batch;
  const bases = await store.nearestOf({ stream, entities }, signal);
  const missing = entities
    .map((entity) => ({ ...entity, after: bases.get(entity.entityId)?.version ?? 0 }))
    .filter(({ after, upTo }) => after < upTo);
  const isLong = ({ after, upTo }: EntityHistoryRange) => upTo - after > mostOfOneEntity;
  for (const entity of missing.filter(isLong)) await createOne(batch, entity);
  for (const part of parts(missing.filter((entity) => !isLong(entity)))) {
    const histories = await store.historyOf({ stream, entities: part }, signal);
    await save(batch, await foldAll(batch, { histories, bases }));
  }
}

/** Divides entities into parts with at most `mostEvents` events. */
function* parts(entities: readonly EntityHistoryRange[]): Generator<EntityHistoryRange[]> {
  let part: EntityHistoryRange[] = [];
  let events = 0;
  for (const entity of entities) {
    const own = entity.upTo - entity.after;
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

async function createOne(batch: SnapshotBatch, { entityId, upTo }: Entity): Promise<void> {
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

/** Returns the snapshots after these events, each computed from the snapshot in `bases`, if there is one. */
async function foldAll(
  { stream, now, counts, signal }: SnapshotBatch,
  {
    histories,
    bases,
  }: { histories: ReadonlyMap<string, EntityHistoryEvent[]>; bases: ReadonlyMap<string, EntitySnapshot> },
): Promise<EntitySnapshot[]> {
  const folded: EntitySnapshot[] = [];
  const turn = new TimeSlice();
  for (const [entityId, events] of histories) {
    const base = bases.get(entityId);
    if (turn.over(base?.state.length ?? 0)) await turn.end();
    try {
      const fold = new EntityFold(base, turn);
      await fold.add(events, signal);
      const { from: _from, ...content } = fold.result()!;
      folded.push({ stream, entity_id: entityId, ...content, created_at: now, reason: 'automatic' });
    } catch (error) {
      if (!isTooLarge(error)) throw error;
      counts.tooLarge++;
    }
  }
  return folded;
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

function isTooLarge(error: unknown): boolean {
  return error instanceof EntityStateTooLargeError || error instanceof QueryTooExpensiveError;
}
