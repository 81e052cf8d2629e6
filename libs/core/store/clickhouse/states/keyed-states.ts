import type { ClickHouseSettings } from '@clickhouse/client';
import type {
  ChangedKeysQuery,
  ClosedStateRowsFilter,
  DueStateRowsQuery,
  UnmergedKeyedState,
  KeyedStateReader,
  KeyedStateStore,
  KeyedStatePageQuery,
  StatePartitionKey,
  PartitionCheckpoint,
  KeyedStateRow,
} from '../../keyed-state-store.js';
import { assertStateKeysBounded, groupByKey } from '../../state-keys.js';
import type { StoreClickHouseClient } from '../store-clickhouse-client.js';
import type { ParameterizedSql } from '../event-query.js';
import { replacingInsert } from '../insert-settings.js';
import { longQuerySettings, splitBySize } from '../split-by-size.js';
import { boundSettings, type QueryLimits } from '../query-limits.js';
import { RowBinaryWriter } from '../../row-batch/row-binary.js';
import type { TableDefinition } from '../table.js';
import * as sql from './state-query.js';
import {
  progressOfRecord,
  recordOfProgress,
  stateTable,
  tablesOfOwner,
  type StateTableRow,
  type StateTableName,
} from './state-table.js';

/** Each owner has its own ClickHouse partition: rows that replace each other are always in the same one. */
const finalSettings: ClickHouseSettings = { do_not_merge_across_partitions_select_final: 1 };
/** Lets ClickHouse stop the search for a page's keys at the end of the page. */
const pageSettings: ClickHouseSettings = { optimize_aggregation_in_order: 1 };
const lookupSettings: ClickHouseSettings = { ...finalSettings, ...longQuerySettings };
/** See `removal/row-set.ts`. The delete is asynchronous: readers skip closed rows. */
const removeClosedSettings: ClickHouseSettings = { lightweight_deletes_sync: '0', mutations_sync: '0' };
const removeSettings: ClickHouseSettings = { lightweight_deletes_sync: '2', mutations_sync: '2' };
/** ClickHouse setting without which ClickHouse refuses to drop a partition of more than 50 GB. */
const dropSettings: ClickHouseSettings = { max_partition_size_to_drop: '0' };

/**
 * Saves and reads the keyed states of projections, or of pipelines, in ClickHouse. Each has a table of its own, with
 * the same columns and another sorting key. The results of projections have such a table, too.
 */
export class ClickHouseKeyedStates implements KeyedStateStore, KeyedStateReader {
  private readonly table: TableDefinition<StateTableRow>;
  private readonly rows;
  private readonly ends;
  private readonly askedRows: sql.StateTableSelection;
  private readonly askedEnds: sql.StateTableSelection;

  constructor(
    private readonly connection: StoreClickHouseClient,
    private readonly bounds: QueryLimits,
    private readonly name: StateTableName,
  ) {
    this.table = stateTable(name);
    // The rows are many, so columns with the same value in all rows are not selected.
    this.rows = this.table.select(
      ...(['stage', 'stream', 'partition', 'key', 'state', 'events'] as const),
      ...(['closes_at', 'position', 'updated_at'] as const),
    );
    this.ends = this.table.select(
      ...(['owner', 'stage', 'stream', 'partition', 'state', 'position', 'updated_at'] as const),
    );
    this.askedRows = { table: name, selection: this.rows.sql };
    this.askedEnds = { table: name, selection: this.ends.sql };
  }

  async save(rows: readonly KeyedStateRow[], progress: readonly PartitionCheckpoint[]): Promise<void> {
    if (rows.length === 0 && progress.length === 0) return;
    const out = new RowBinaryWriter();
    for (const row of rows) this.table.write(out, { ...row, kind: 'row' });
    for (const end of progress) this.table.write(out, recordOfProgress(end));
    await this.connection.insert(this.table.insert, [out.bytes()], replacingInsert);
  }

  async load(place: StatePartitionKey, keys: readonly string[]): Promise<KeyedStateRow[]> {
    assertStateKeysBounded(keys);
    const rows: KeyedStateRow[] = [];
    for (const part of splitBySize([...new Set(keys)])) {
      const found = await this.lookUp(sql.loadSql(this.askedRows, place, part));
      rows.push(...this.rowsOf(place.owner, found));
    }
    return rows;
  }

  async due(place: StatePartitionKey, query: DueStateRowsQuery): Promise<KeyedStateRow[]> {
    return this.rowsOf(place.owner, await this.lookUp(sql.dueSql(this.askedRows, place, query)));
  }

  async progressOf(place: StatePartitionKey): Promise<PartitionCheckpoint | undefined> {
    return this.endsOf(await this.lookUp(sql.progressOfSql(this.askedEnds, place)))[0];
  }

  async removeClosed(owner: string, closed: readonly ClosedStateRowsFilter[]): Promise<void> {
    if (closed.length > 0) await this.removeWhere(owner, sql.closedCondition(closed), removeClosedSettings);
  }

  async removeStages(owner: string, stages: readonly string[]): Promise<void> {
    if (stages.length > 0) await this.removeWhere(owner, sql.stagesCondition(stages), removeSettings);
  }

  async remove(owner: string): Promise<void> {
    for (const table of tablesOfOwner(this.name))
      await this.connection.command(
        `ALTER TABLE ${table} DROP PARTITION {owner:String}`,
        { owner },
        dropSettings,
      );
  }

  async owners(): Promise<string[]> {
    const rows = await this.lookUp<[string]>(sql.ownersSql(tablesOfOwner(this.name)));
    return rows.map(([owner]) => owner);
  }

  async key(owner: string, key: string, signal?: AbortSignal): Promise<UnmergedKeyedState | undefined> {
    const rows = await this.read(sql.keySql(this.askedRows, owner, key), signal);
    return groupByKey(this.rowsOf(owner, rows))[0];
  }

  async find(owner: string, keys: readonly string[], signal?: AbortSignal): Promise<UnmergedKeyedState[]> {
    assertStateKeysBounded(keys);
    const found: UnmergedKeyedState[] = [];
    for (const part of splitBySize([...new Set(keys)])) {
      const rows = await this.read(sql.findSql(this.askedRows, owner, part), signal, longQuerySettings);
      found.push(...groupByKey(this.rowsOf(owner, rows)));
    }
    return found;
  }

  async keys(query: KeyedStatePageQuery, signal?: AbortSignal): Promise<UnmergedKeyedState[]> {
    const rows = await this.read(sql.keysSql(this.askedRows, query), signal, pageSettings);
    // A key may have been added after the last key of the page was determined.
    return groupByKey(this.rowsOf(query.owner, rows)).slice(0, query.limit);
  }

  async changedKeys(query: ChangedKeysQuery, signal?: AbortSignal): Promise<UnmergedKeyedState[]> {
    const rows = await this.read(sql.changedKeysSql(this.askedRows, query), signal, pageSettings);
    return groupByKey(this.rowsOf(query.owner, rows));
  }

  async countKeys(
    query: Pick<KeyedStatePageQuery, 'owner' | 'prefix'>,
    signal?: AbortSignal,
  ): Promise<number> {
    const [row] = await this.read<[number]>(sql.countKeysSql(this.askedRows, query), signal);
    return row?.[0] ?? 0;
  }

  async progress(owners: readonly string[], signal?: AbortSignal): Promise<PartitionCheckpoint[]> {
    if (owners.length === 0) return [];
    return this.endsOf(await this.read(sql.progressSql(this.askedEnds, owners), signal));
  }

  private rowsOf(owner: string, found: readonly (readonly unknown[])[]): KeyedStateRow[] {
    return found.map((values) => this.rows.read(values, { owner }));
  }

  private endsOf(found: readonly (readonly unknown[])[]): PartitionCheckpoint[] {
    return found.map((values) => progressOfRecord(this.ends.read(values, {})));
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

  private read<Row extends readonly unknown[]>(
    { query, params }: ParameterizedSql,
    signal?: AbortSignal,
    more: ClickHouseSettings = {},
  ): Promise<Row[]> {
    const settings = { ...boundSettings(this.bounds), ...finalSettings, ...more };
    return this.connection.select<Row>(query, { params, settings, signal });
  }
}
