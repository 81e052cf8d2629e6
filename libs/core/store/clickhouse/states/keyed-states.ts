import type { ClickHouseSettings } from '@clickhouse/client';
import {
  historyStage,
  type ChangedKeysQuery,
  type ClosedStateRowsFilter,
  type DueStateRowsQuery,
  type KeyedStatePageQuery,
  type KeyedHistoryReader,
  type KeyedStateReader,
  type KeyedStateRow,
  type KeyedStateStore,
  type PartitionCheckpoint,
  type StatePartitionKey,
  type UnmergedKeyedState,
} from '../../keyed-state-store.js';
import { assertStateKeysBounded, groupByKey } from '../../state-keys.js';
import type { RowTable } from '../connection/row-table.js';
import {
  boundSettings,
  deleteSettings,
  longQuerySettings,
  replacingInsert,
  type QueryLimits,
} from '../connection/settings.js';
import { splitBySize } from '../connection/split-by-size.js';
import { SqlParams, type ParameterizedSql } from '../connection/sql-params.js';
import type { ClickHouseConnection } from '../connection/store-clickhouse-client.js';
import {
  checkpointColumns,
  readCheckpoint,
  readStateRow,
  rowColumns,
  rowOfCheckpoint,
  stateTable,
  type CheckpointValues,
  type StateRowValues,
  type StateTableName,
  type StateTableRow,
} from './state-rows.js';

/** Each owner has its own ClickHouse partition: rows that replace each other are always in the same one. */
const finalSettings: ClickHouseSettings = { do_not_merge_across_partitions_select_final: 1 };
/** Lets ClickHouse stop the search for a page's keys at the end of the page. */
const pageSettings: ClickHouseSettings = { optimize_aggregation_in_order: 1 };
const lookupSettings: ClickHouseSettings = { ...finalSettings, ...longQuerySettings };
/** The delete is asynchronous: readers skip closed rows. */
const removeClosedSettings: ClickHouseSettings = { lightweight_deletes_sync: '0', mutations_sync: '0' };
/** ClickHouse setting without which ClickHouse refuses to drop a partition of more than 50 GB. */
const dropSettings: ClickHouseSettings = { max_partition_size_to_drop: '0' };

/** Conditions for the rows with states, and with histories. */
const [isState, isHistory] = [
  `kind = 'row' AND stage != '${historyStage}'`,
  `kind = 'row' AND stage = '${historyStage}'`,
];

const ofPartition = `owner = {owner:String} AND stage = {stage:String}
  AND stream = {stream:String} AND partition = {partition:UInt16}`;

/**
 * Saves and reads the keyed states of projections, or of pipelines, in ClickHouse. Each has a table of its own, with
 * the same columns and another sorting key. The results of projections have such a table, too.
 */
export class ClickHouseKeyedStates implements KeyedStateStore, KeyedStateReader, KeyedHistoryReader {
  private readonly table: RowTable<StateTableRow>;
  private readonly selectRows: string;
  private readonly selectCheckpoints: string;
  /** The tables from which the rows of an owner are removed together. */
  private readonly tables: readonly StateTableName[];

  constructor(
    private readonly connection: ClickHouseConnection,
    private readonly bounds: QueryLimits,
    private readonly name: StateTableName,
  ) {
    this.table = stateTable(name);
    this.selectRows = `SELECT ${rowColumns}\nFROM ${name}`;
    this.selectCheckpoints = `SELECT ${checkpointColumns}\nFROM ${name}`;
    this.tables = name === 'projection_states' ? [name, 'projection_results'] : [name];
  }

  async save(rows: readonly KeyedStateRow[], progress: readonly PartitionCheckpoint[]): Promise<void> {
    if (rows.length === 0 && progress.length === 0) return;
    const all = [...rows, ...progress.map(rowOfCheckpoint)];
    await this.table.insert(this.connection, all, replacingInsert);
  }

  /**
   * Selects in no particular order. ORDER BY position DESC, so that LIMIT BY keeps the latest row of each key. For 2 000
   * random keys out of a million, this takes a quarter less processor time than FINAL, which reads all rows between the
   * keys.
   */
  async load(at: StatePartitionKey, keys: readonly string[]): Promise<KeyedStateRow[]> {
    assertStateKeysBounded(keys);
    const query = `${this.selectRows}
WHERE kind = 'row' AND key IN {keys:Array(String)} AND ${ofPartition}
ORDER BY position DESC
LIMIT 1 BY key`;
    const rows: KeyedStateRow[] = [];
    for (const part of splitBySize([...new Set(keys)])) {
      const params = { ...paramsOf(at), keys: part };
      for (const row of await this.lookUp<StateRowValues>({ query, params }))
        rows.push(readStateRow(at.owner, row));
    }
    return rows;
  }

  /** ORDER BY closes_at, key: the documented order, in which a page continues after a row. */
  async due(at: StatePartitionKey, { until, after, limit }: DueStateRowsQuery): Promise<KeyedStateRow[]> {
    const params = new SqlParams();
    const conditions = [`kind = 'row'`, ofPartition, `closes_at <= ${params.bind('Int64', until)}`];
    if (after) {
      const [closesAt, key] = [params.bind('Int64', after.closes_at), params.bind('String', after.key)];
      conditions.push(`(closes_at, key) > (${closesAt}, ${key})`);
    }
    const query = `${this.selectRows} FINAL
WHERE ${conditions.join(' AND ')}
ORDER BY closes_at, key
LIMIT ${params.bind('UInt64', limit)}`;
    const rows = await this.lookUp<StateRowValues>({ query, params: { ...params.values, ...paramsOf(at) } });
    return rows.map((row) => readStateRow(at.owner, row));
  }

  async progressOf(at: StatePartitionKey): Promise<PartitionCheckpoint | undefined> {
    // Another process may have written to another replica.
    await this.connection.caughtUp();
    const query = `${this.selectCheckpoints}
WHERE kind = 'progress' AND key = '' AND ${ofPartition}
ORDER BY position DESC, updated_at DESC
LIMIT 1`;
    const [row] = await this.lookUp<CheckpointValues>({ query, params: paramsOf(at) });
    return row && readCheckpoint(row);
  }

  async savedProgress(owner: string): Promise<PartitionCheckpoint[]> {
    // Another process may have written to another replica.
    await this.connection.caughtUp();
    const query = `${this.selectCheckpoints} FINAL
WHERE kind = 'progress' AND key = '' AND owner = {owner:String}`;
    return (await this.lookUp<CheckpointValues>({ query, params: { owner } })).map(readCheckpoint);
  }

  /** ORDER BY key, stream, partition: the rows of a key are adjacent and in their documented order. */
  async histories(owner: string, keys: readonly string[]): Promise<UnmergedKeyedState[]> {
    assertStateKeysBounded(keys);
    const query = `${this.selectRows} FINAL
WHERE ${isHistory} AND owner = {owner:String} AND key IN {keys:Array(String)}
ORDER BY key, stream, partition`;
    const found: UnmergedKeyedState[] = [];
    for (const part of splitBySize([...new Set(keys)])) {
      const rows = await this.lookUp<StateRowValues>({ query, params: { owner, keys: part } });
      found.push(...groupByKey(rows.map((row) => readStateRow(owner, row))));
    }
    return found;
  }

  async removeClosed(owner: string, closed: readonly ClosedStateRowsFilter[]): Promise<void> {
    if (closed.length === 0) return;
    const params = new SqlParams();
    const alternatives = closed.map(({ stage, partition, until }) => {
      const [ofStage, number] = [params.bind('String', stage), params.bind('UInt16', partition)];
      return `(stage = ${ofStage} AND partition = ${number} AND closes_at <= ${params.bind('Int64', until)})`;
    });
    const condition = params.statement(`kind = 'row' AND (${alternatives.join(' OR ')})`);
    await this.removeWhere(owner, condition, removeClosedSettings);
  }

  async removeStages(owner: string, stages: readonly string[]): Promise<void> {
    if (stages.length === 0) return;
    const condition = { query: 'stage IN {stages:Array(String)}', params: { stages } };
    await this.removeWhere(owner, condition, deleteSettings);
  }

  async remove(owner: string): Promise<void> {
    for (const table of this.tables) {
      const statement = `ALTER TABLE ${table} DROP PARTITION {owner:String}`;
      await this.connection.command(statement, { owner }, dropSettings);
    }
  }

  /** Empty parts do not count, because a dropped partition leaves them for a while. */
  async owners(): Promise<string[]> {
    const query = `SELECT DISTINCT partition
FROM system.parts
WHERE database = currentDatabase() AND table IN {tables:Array(String)} AND active AND rows > 0
ORDER BY partition`;
    const rows = await this.lookUp<[string]>({ query, params: { tables: this.tables } });
    return rows.map(([owner]) => owner);
  }

  /** ORDER BY stream, partition: the documented order of a key's rows. */
  async key(owner: string, key: string, signal?: AbortSignal): Promise<UnmergedKeyedState | undefined> {
    const query = `${this.selectRows} FINAL
WHERE ${isState} AND owner = {owner:String} AND key = {key:String}
ORDER BY stream, partition`;
    return (await this.readKeys(owner, { query, params: { owner, key } }, { signal }))[0];
  }

  /** ORDER BY key, stream, partition: the rows of a key are adjacent and in their documented order. */
  async find(owner: string, keys: readonly string[], signal?: AbortSignal): Promise<UnmergedKeyedState[]> {
    assertStateKeysBounded(keys);
    const query = `${this.selectRows} FINAL
WHERE ${isState} AND owner = {owner:String} AND key IN {keys:Array(String)}
ORDER BY key, stream, partition`;
    const found: UnmergedKeyedState[] = [];
    for (const part of splitBySize([...new Set(keys)])) {
      const statement = { query, params: { owner, keys: part } };
      found.push(...(await this.readKeys(owner, statement, { signal, settings: longQuerySettings })));
    }
    return found;
  }

  /**
   * A subquery first finds the last key of the page from the keys alone, because a page is bounded by its number of
   * keys, not of rows. ORDER BY key, stream, partition: the sorting key of `projection_states`, so ClickHouse reads only
   * the rows of the page.
   */
  async keys(query: KeyedStatePageQuery, signal?: AbortSignal): Promise<UnmergedKeyedState[]> {
    const params = new SqlParams();
    const where = keyConditions(query, params);
    const statement = params.statement(`${this.selectRows} FINAL
WHERE ${where} AND key <= (
  SELECT max(key)
  FROM (SELECT key FROM ${this.name} WHERE ${where} GROUP BY key ORDER BY key LIMIT ${params.bind('UInt64', query.limit)}))
ORDER BY key, stream, partition`);
    // A key may have been added after the last key of the page was determined.
    return (await this.readKeys(query.owner, statement, { signal, settings: pageSettings })).slice(
      0,
      query.limit,
    );
  }

  /**
   * The keys are scattered, so the query avoids FINAL, as `load` does. A row that has been replaced also shows that its
   * key was changed. ORDER BY key, stream, partition: the documented order; then the greatest position first, so that
   * LIMIT BY keeps the current row.
   */
  changedKeys(query: ChangedKeysQuery, signal?: AbortSignal): Promise<UnmergedKeyedState[]> {
    const params = new SqlParams();
    const where = `${keyConditions(query, params)} AND (${changedSince(query.since, params)})`;
    const statement = params.statement(`${this.selectRows}
WHERE ${isState} AND owner = ${params.bind('String', query.owner)} AND key IN (
  SELECT key FROM ${this.name} WHERE ${where} GROUP BY key ORDER BY key LIMIT ${params.bind('UInt64', query.limit)})
ORDER BY key, stream, partition, position DESC
LIMIT 1 BY key, stream, partition`);
    return this.readKeys(query.owner, statement, { signal, settings: pageSettings });
  }

  async countKeys(
    query: Pick<KeyedStatePageQuery, 'owner' | 'prefix'>,
    signal?: AbortSignal,
  ): Promise<number> {
    const params = new SqlParams();
    const statement = params.statement(`SELECT count()
FROM (SELECT key FROM ${this.name} WHERE ${keyConditions(query, params)} GROUP BY key)`);
    const [row] = await this.read<[number]>(statement, signal);
    return row?.[0] ?? 0;
  }

  /** ORDER BY owner, stage, stream, partition: the documented order. */
  async progress(owners: readonly string[], signal?: AbortSignal): Promise<PartitionCheckpoint[]> {
    if (owners.length === 0) return [];
    const query = `${this.selectCheckpoints} FINAL
WHERE kind = 'progress' AND key = '' AND owner IN {owners:Array(String)}
ORDER BY owner, stage, stream, partition`;
    return (await this.read<CheckpointValues>({ query, params: { owners } }, signal)).map(readCheckpoint);
  }

  /** Checks for matching rows first: a DELETE that matches nothing still scans all rows of the owner. */
  private async removeWhere(
    owner: string,
    condition: ParameterizedSql,
    settings: ClickHouseSettings,
  ): Promise<void> {
    const where = `owner = {owner:String} AND ${condition.query}`;
    const params = { owner, ...condition.params };
    const found = await this.lookUp({ query: `SELECT 1 FROM ${this.name} WHERE ${where} LIMIT 1`, params });
    if (found.length === 0) return;
    await this.connection.command(`DELETE FROM ${this.name} WHERE ${where}`, params, settings);
  }

  private lookUp<Row extends readonly unknown[]>({ query, params }: ParameterizedSql): Promise<Row[]> {
    return this.connection.select<Row>(query, { params, settings: lookupSettings, purpose: 'lookup' });
  }

  /** Reads the rows of keys, which the statement orders by key, and groups them by key. */
  private async readKeys(
    owner: string,
    statement: ParameterizedSql,
    options: { signal?: AbortSignal; settings?: ClickHouseSettings },
  ): Promise<UnmergedKeyedState[]> {
    const rows = await this.read<StateRowValues>(statement, options.signal, options.settings);
    return groupByKey(rows.map((row) => readStateRow(owner, row)));
  }

  private read<Row extends readonly unknown[]>(
    { query, params }: ParameterizedSql,
    signal?: AbortSignal,
    more?: ClickHouseSettings,
  ): Promise<Row[]> {
    const settings = { ...boundSettings(this.bounds), ...finalSettings, ...more };
    return this.connection.select<Row>(query, { params, settings, signal });
  }
}

/** Builds one condition for each stream, however many partitions it has. */
function changedSince(since: ChangedKeysQuery['since'], params: SqlParams): string {
  const streams = [...new Set(since.map(({ stream }) => stream))];
  const conditions = streams.map((stream) => {
    const ofStream = since.filter((position) => position.stream === stream);
    const partitions = ofStream.map(({ partition }) => partition);
    const numbers = params.bind('Array(UInt16)', partitions);
    const starts = ofStream.map(({ offset }) => offset);
    const offsets = params.bind('Array(UInt64)', starts);
    return [
      `stream = ${params.bind('String', stream)}`,
      `has(${numbers}, partition)`,
      `position >= ${offsets}[indexOf(${numbers}, partition)]`,
    ].join(' AND ');
  });
  return conditions.length === 0 ? 'false' : conditions.join(' OR ');
}

function keyConditions(
  { owner, after, prefix }: Pick<KeyedStatePageQuery, 'owner' | 'prefix' | 'after'>,
  params: SqlParams,
): string {
  const conditions = [`${isState} AND owner = ${params.bind('String', owner)}`];
  if (after !== undefined) conditions.push(`key > ${params.bind('String', after)}`);
  if (prefix) conditions.push(`startsWith(key, ${params.bind('String', prefix)})`);
  return conditions.join(' AND ');
}

function paramsOf({ owner, stage, stream, partition }: StatePartitionKey): Record<string, unknown> {
  return { owner, stage, stream, partition };
}
