import type {
  ChangedKeysQuery,
  ClosedRows,
  DueQuery,
  StatePageQuery,
  StatePartition,
} from '../../keyed-state-store.js';
import type { Sql } from '../event-query.js';
import { Params } from '../params.js';

/** What is asked of one table. */
export interface Asked {
  table: string;
  /** The columns. */
  selection: string;
}

const ofPlace = `owner = {owner:String} AND stage = {stage:String}
  AND stream = {stream:String} AND partition = {partition:UInt16}`;

/**
 * The rows of these keys from one partition, in no order. ORDER BY position: so that the last row of each key is the one
 * that is kept. Of a million keys, 2 000 that lie anywhere take a quarter less of the processor like this than by FINAL,
 * which has to read what lies between them.
 */
export function loadSql({ table, selection }: Asked, place: StatePartition, keys: readonly string[]): Sql {
  return {
    query: `SELECT ${selection}
FROM ${table}
WHERE kind = 'row' AND key IN {keys:Array(String)} AND ${ofPlace}
ORDER BY position DESC
LIMIT 1 BY key`,
    params: { ...paramsOf(place), keys },
  };
}

/** ORDER BY closes_at, key: what the port promises, and what a page begins after. */
export function dueSql({ table, selection }: Asked, place: StatePartition, query: DueQuery): Sql {
  const params = new Params();
  const conditions = [`kind = 'row'`, ofPlace, `closes_at <= ${params.bind('Int64', query.until)}`];
  if (query.after) {
    const { closes_at, key } = query.after;
    conditions.push(`(closes_at, key) > (${params.bind('Int64', closes_at)}, ${params.bind('String', key)})`);
  }
  return {
    query: `SELECT ${selection}
FROM ${table} FINAL
WHERE ${conditions.join(' AND ')}
ORDER BY closes_at, key
LIMIT ${params.bind('UInt64', query.limit)}`,
    params: { ...params.values, ...paramsOf(place) },
  };
}

export function progressOfSql({ table, selection }: Asked, place: StatePartition): Sql {
  return {
    query: `SELECT ${selection}
FROM ${table}
WHERE kind = 'progress' AND key = '' AND ${ofPlace}
ORDER BY position DESC
LIMIT 1`,
    params: paramsOf(place),
  };
}

/** ORDER BY owner, stage, stream, partition: what the port promises. */
export function progressSql({ table, selection }: Asked, owners: readonly string[]): Sql {
  return {
    query: `SELECT ${selection}
FROM ${table} FINAL
WHERE kind = 'progress' AND key = '' AND owner IN {owners:Array(String)}
ORDER BY owner, stage, stream, partition`,
    params: { owners },
  };
}

/** ORDER BY stream, partition: that of the parts of a key. */
export function keySql({ table, selection }: Asked, owner: string, key: string): Sql {
  return {
    query: `SELECT ${selection}
FROM ${table} FINAL
WHERE kind = 'row' AND owner = {owner:String} AND key = {key:String}
ORDER BY stream, partition`,
    params: { owner, key },
  };
}

/** ORDER BY key, stream, partition: so that the parts of a key stand together, in their order. */
export function findSql({ table, selection }: Asked, owner: string, keys: readonly string[]): Sql {
  return {
    query: `SELECT ${selection}
FROM ${table} FINAL
WHERE kind = 'row' AND owner = {owner:String} AND key IN {keys:Array(String)}
ORDER BY key, stream, partition`,
    params: { owner, keys },
  };
}

/**
 * The rows of one page of keys. Where it ends is found first, from the keys alone: a page is bounded in keys, not in
 * rows. ORDER BY key, stream, partition: the order of `projection_states`, so that a page is read no further than it goes.
 */
export function keysSql({ table, selection }: Asked, query: StatePageQuery): Sql {
  const params = new Params();
  const where = keyConditions(query, params);
  return {
    query: `SELECT ${selection}
FROM ${table} FINAL
WHERE ${where} AND key <= (
  SELECT max(key)
  FROM (SELECT key FROM ${table} WHERE ${where} GROUP BY key ORDER BY key LIMIT ${params.bind('UInt64', query.limit)}))
ORDER BY key, stream, partition`,
    params: params.values,
  };
}

/**
 * The rows of one page of changed keys, which lie anywhere: so not by FINAL, as in `loadSql`. That a key was changed is
 * told by a row that was replaced, too. ORDER BY key, stream, partition: what the port promises; then the greatest position
 * first, the row that wins.
 */
export function changedKeysSql({ table, selection }: Asked, query: ChangedKeysQuery): Sql {
  const params = new Params();
  const where = `${keyConditions(query, params)} AND (${changedSince(query.since, params)})`;
  return {
    query: `SELECT ${selection}
FROM ${table}
WHERE kind = 'row' AND owner = ${params.bind('String', query.owner)} AND key IN (
  SELECT key FROM ${table} WHERE ${where} GROUP BY key ORDER BY key LIMIT ${params.bind('UInt64', query.limit)})
ORDER BY key, stream, partition, position DESC
LIMIT 1 BY key, stream, partition`,
    params: params.values,
  };
}

export function countKeysSql({ table }: Asked, query: Pick<StatePageQuery, 'owner' | 'prefix'>): Sql {
  const params = new Params();
  return {
    query: `SELECT count()
FROM (SELECT key FROM ${table} WHERE ${keyConditions(query, params)} GROUP BY key)`,
    params: params.values,
  };
}

/** What has closed, of several partitions: the same condition finds and removes it. */
export function closedCondition(closed: readonly ClosedRows[]): Sql {
  const params = new Params();
  const each = closed.map(({ stage, partition, until }) => {
    const [boundStage, boundPartition] = [params.bind('String', stage), params.bind('UInt16', partition)];
    return `(stage = ${boundStage} AND partition = ${boundPartition} AND closes_at <= ${params.bind('Int64', until)})`;
  });
  return { query: `kind = 'row' AND (${each.join(' OR ')})`, params: params.values };
}

/** What an owner has of stages, its progress included. */
export function stagesCondition(stages: readonly string[]): Sql {
  return { query: 'stage IN {stages:Array(String)}', params: { stages } };
}

/** What is dropped leaves parts without rows for a while. */
export function ownersSql(table: string): Sql {
  return {
    query: `SELECT DISTINCT partition
FROM system.parts
WHERE database = currentDatabase() AND table = {table:String} AND active AND rows > 0
ORDER BY partition`,
    params: { table },
  };
}

/** One condition for each stream, however many partitions it has. */
function changedSince(since: ChangedKeysQuery['since'], params: Params): string {
  const conditions = [...new Set(since.map(({ stream }) => stream))].map((stream) => {
    const places = since.filter((place) => place.stream === stream);
    const numbers = params.bind(
      'Array(UInt16)',
      places.map(({ partition }) => partition),
    );
    const offsets = params.bind(
      'Array(UInt64)',
      places.map(({ offset }) => offset),
    );
    return [
      `stream = ${params.bind('String', stream)}`,
      `has(${numbers}, partition)`,
      `position >= ${offsets}[indexOf(${numbers}, partition)]`,
    ].join(' AND ');
  });
  return conditions.length === 0 ? 'false' : conditions.join(' OR ');
}

function keyConditions(
  { owner, after, prefix }: Pick<StatePageQuery, 'owner' | 'prefix' | 'after'>,
  params: Params,
): string {
  const conditions = [`kind = 'row' AND owner = ${params.bind('String', owner)}`];
  if (after !== undefined) conditions.push(`key > ${params.bind('String', after)}`);
  if (prefix) conditions.push(`startsWith(key, ${params.bind('String', prefix)})`);
  return conditions.join(' AND ');
}

function paramsOf({ owner, stage, stream, partition }: StatePartition): Record<string, unknown> {
  return { owner, stage, stream, partition };
}
