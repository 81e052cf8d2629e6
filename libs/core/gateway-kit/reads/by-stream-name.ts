import type { Definitions } from '#registry';
import type { EventFileExporter, EventReader, AuthorizationScope, EntitySnapshotStore, Store } from '#store';

type Names = Pick<Definitions, 'stream'>;

/** Returns an event reader whose queries name streams: each name is replaced by the id that the store knows. */
function readerByStreamName(reader: EventReader, names: Names): EventReader {
  const { idOf, scope, named, within } = lookUp(names);
  return {
    query: (query, signal) => reader.query(named(query), signal),
    inLogOrder: (query, signal) => reader.inLogOrder(scope(within(query)), signal),
    storedIds: (query, signal) => reader.storedIds(within(query), signal),
    count: (query, signal) => reader.count(named(query), signal),
    byId: (query, signal) => reader.byId(scope(query), signal),
    streams: (query, signal) => reader.streams(named(query), signal),
    entities: (query, signal) => reader.entities(one(scope(query), idOf), signal),
    erasableDataOf: (query, signal) => reader.erasableDataOf(one(scope(query), idOf), signal),
    deadLetters: (query, signal) => reader.deadLetters(scope(query), signal),
  };
}

/** Returns a store whose reader and snapshots name streams; the rest of it is unchanged. */
export function storeByStreamName<S extends Pick<Store, 'reader' | 'snapshots'>>(store: S, names: Names): S {
  return {
    ...store,
    reader: readerByStreamName(store.reader, names),
    snapshots: snapshotsByStreamName(store.snapshots, names),
  };
}

/** Returns a snapshot store whose queries name streams. */
function snapshotsByStreamName(snapshots: EntitySnapshotStore, names: Names): EntitySnapshotStore {
  const { idOf, scope } = lookUp(names);
  return {
    versionRange: (query, signal) => snapshots.versionRange(one(scope(query), idOf), signal),
    history: (query, signal) => snapshots.history(one(scope(query), idOf), signal),
    nearest: (query, signal) => snapshots.nearest(one(scope(query), idOf), signal),
    snapshots: (query, signal) => snapshots.snapshots(one(scope(query), idOf), signal),
    save: (snapshot) => snapshots.save(one(snapshot, idOf)),
    removeStale: (entity) => snapshots.removeStale(one(entity, idOf)),
  };
}

/** Returns exports of events as files, whose queries name streams. */
export function filesByStreamName(files: EventFileExporter, names: Names): EventFileExporter {
  const { named } = lookUp(names);
  return { open: (query, signal) => files.open(named(query), signal), close: () => files.close() };
}

/** Returns an authorization scope with ids in place of names. A prefix of names is a prefix of ids too. */
export function scopeByStreamId<Q extends AuthorizationScope>(scope: Q, names: Names): Q {
  const { access, hidden } = scope;
  const idOf = idIn(names);
  const patterns = access.patterns?.map((pattern) => (pattern.endsWith('*') ? pattern : idOf(pattern)));
  return {
    ...scope,
    access: { ...access, ...(patterns && { patterns }) },
    ...(hidden && { hidden: hidden.map(idOf) }),
  };
}

type IdOf = (name: string) => string;

/** Returns the id of a stream. An unknown name is returned unchanged, because nothing is stored under it. */
function idIn(names: Names): IdOf {
  return (name) => names.stream(name)?.id ?? name;
}

function lookUp(names: Names) {
  const idOf = idIn(names);
  const scope = <Q extends AuthorizationScope>(query: Q): Q => scopeByStreamId(query, names);
  const named = <Q extends AuthorizationScope & { streams?: readonly string[] }>(query: Q): Q =>
    query.streams ? { ...scope(query), streams: query.streams.map(idOf) } : scope(query);
  const within = <R extends { stream: string }, Q extends { ranges: readonly R[] }>(query: Q): Q => ({
    ...query,
    ranges: query.ranges.map((range) => one(range, idOf)),
  });
  return { idOf, scope, named, within };
}

function one<Q extends { stream?: string }>(query: Q, idOf: IdOf): Q {
  return query.stream === undefined ? query : { ...query, stream: idOf(query.stream) };
}
