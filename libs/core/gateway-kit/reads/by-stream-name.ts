import type { Definitions } from '#registry';
import type { EventReader, AuthorizationScope, Store } from '#store';

type Names = Pick<Definitions, 'stream'>;

/** Returns an event reader whose queries name streams: each name is replaced by the id that the store knows. */
function readerByStreamName(reader: EventReader, names: Names): EventReader {
  const { scope, named, one, within } = idsOfStreams(names);
  return {
    query: (query, signal) => reader.query(named(query), signal),
    inLogOrder: (query, signal) => reader.inLogOrder(scope(within(query)), signal),
    storedIds: (query, signal) => reader.storedIds(within(query), signal),
    count: (query, signal) => reader.count(named(query), signal),
    byId: (query, signal) => reader.byId(scope(query), signal),
    streams: (query, signal) => reader.streams(named(query), signal),
    entities: (query, signal) => reader.entities(one(scope(query)), signal),
    erasableDataOf: (query, signal) => reader.erasableDataOf(one(scope(query)), signal),
    deadLetters: (query, signal) => reader.deadLetters(scope(query), signal),
  };
}

/** Returns a store whose readers name streams; the rest of it is unchanged. */
export function storeByStreamName<S extends Pick<Store, 'reader' | 'partialReader'>>(
  store: S,
  names: Names,
): S {
  const { reader, partialReader } = store;
  return {
    ...store,
    reader: readerByStreamName(reader, names),
    ...(partialReader && { partialReader: readerByStreamName(partialReader, names) }),
  };
}

type IdOf = (name: string) => string;

/** Returns functions that replace the names of streams in queries of the store by their ids. */
export function idsOfStreams(names: Names) {
  /** Returns the id of a stream. An unknown name is returned unchanged, because nothing is stored under it. */
  const idOf: IdOf = (name) => names.stream(name)?.id ?? name;
  /** Replaces the names in an authorization scope. A prefix of names is a prefix of ids too. */
  const scope = <Q extends AuthorizationScope>(query: Q): Q => {
    const { access, hidden } = query;
    const patterns = access.patterns?.map((pattern) => (pattern.endsWith('*') ? pattern : idOf(pattern)));
    return {
      ...query,
      access: { ...access, ...(patterns && { patterns }) },
      ...(hidden && { hidden: hidden.map(idOf) }),
    };
  };
  const named = <Q extends AuthorizationScope & { streams?: readonly string[] }>(query: Q): Q =>
    query.streams ? { ...scope(query), streams: query.streams.map(idOf) } : scope(query);
  const one = <Q extends { stream?: string }>(query: Q): Q =>
    query.stream === undefined ? query : { ...query, stream: idOf(query.stream) };
  const within = <R extends { stream: string }, Q extends { ranges: readonly R[] }>(query: Q): Q => ({
    ...query,
    ranges: query.ranges.map(one),
  });
  return { scope, named, one, within };
}
