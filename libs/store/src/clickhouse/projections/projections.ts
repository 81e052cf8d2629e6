import type { ClickHouseSettings } from '@clickhouse/client';
import { assertKeysBounded, groupByKey } from '../../projection-keys.js';
import type {
  BuildPartition,
  ChangedKeysQuery,
  ProjectionKey,
  ProjectionKeysQuery,
  ProjectionProgress,
  ProjectionReader,
  ProjectionStateRow,
  ProjectionWriter,
} from '../../projection-store.js';
import type { Connection } from '../connection.js';
import { replacingInsert } from '../insert-settings.js';
import type { Sql } from '../event-query.js';
import { longQuery, partsBySize } from '../parts-by-size.js';
import { boundSettings, type QueryBounds } from '../query-bounds.js';
import { RowBinaryWriter } from '../row-binary.js';
import { buildsSql, removeBuildSql } from './build-query.js';
import {
  changedKeysSql,
  countKeysSql,
  findSql,
  keySql,
  keysSql,
  loadSql,
  progressOfSql,
  progressSql,
} from './projection-query.js';
import {
  progressColumns,
  readProgress,
  readState,
  stateColumns,
  writeProgress,
  writeState,
  type SelectedProgress,
  type SelectedState,
} from './projection-rows.js';

const insertStates = `INSERT INTO projection_states (${stateColumns.join(', ')}) FORMAT RowBinary`;
const insertProgress = `INSERT INTO projection_progress (${progressColumns.join(', ')}) FORMAT RowBinary`;

/** Builds are partitions: rows that replace each other are never in two of them. */
const finalSettings: ClickHouseSettings = { do_not_merge_across_partitions_select_final: 1 };
/** The keys of a page are looked for no further than it goes. */
const pageSettings: ClickHouseSettings = { optimize_aggregation_in_order: 1 };
const lookupSettings: ClickHouseSettings = { ...finalSettings, ...longQuery };

export class ClickHouseProjections implements ProjectionWriter, ProjectionReader {
  constructor(
    private readonly connection: Connection,
    private readonly bounds: QueryBounds,
  ) {}

  async save(rows: readonly ProjectionStateRow[], progress: readonly ProjectionProgress[]): Promise<void> {
    await this.insert(insertStates, rows, writeState);
    await this.insert(insertProgress, progress, writeProgress);
  }

  async load(place: BuildPartition, keys: readonly string[]): Promise<ProjectionStateRow[]> {
    assertKeysBounded(keys);
    const rows: ProjectionStateRow[] = [];
    for (const part of partsBySize([...new Set(keys)])) {
      const found = await this.lookUp<SelectedState>(loadSql(place, part));
      for (const row of found) rows.push(readState(place.build, row));
    }
    return rows;
  }

  async progressOf(place: BuildPartition): Promise<ProjectionProgress | undefined> {
    const [row] = await this.lookUp<SelectedProgress>(progressOfSql(place));
    return row && readProgress(row);
  }

  async removeBuild(build: string): Promise<void> {
    for (const { query, params, settings } of removeBuildSql(build)) {
      await this.connection.command(query, params, settings);
    }
  }

  async builds(): Promise<string[]> {
    const rows = await this.lookUp<[string]>(buildsSql());
    return rows.map(([build]) => build);
  }

  async key(build: string, key: string, signal?: AbortSignal): Promise<ProjectionKey | undefined> {
    const rows = await this.read<SelectedState>(keySql(build, key), signal);
    return groupByKey(rows.map((row) => readState(build, row)))[0];
  }

  async find(build: string, keys: readonly string[], signal?: AbortSignal): Promise<ProjectionKey[]> {
    assertKeysBounded(keys);
    const found: ProjectionKey[] = [];
    for (const part of partsBySize([...new Set(keys)])) {
      const rows = await this.read<SelectedState>(findSql(build, part), signal, longQuery);
      found.push(...groupByKey(rows.map((row) => readState(build, row))));
    }
    return found;
  }

  async keys(query: ProjectionKeysQuery, signal?: AbortSignal): Promise<ProjectionKey[]> {
    const rows = await this.read<SelectedState>(keysSql(query), signal, pageSettings);
    // A key can have come in since the end of the page was found.
    return groupByKey(rows.map((row) => readState(query.build, row))).slice(0, query.limit);
  }

  async changedKeys(query: ChangedKeysQuery, signal?: AbortSignal): Promise<ProjectionKey[]> {
    const rows = await this.read<SelectedState>(changedKeysSql(query), signal, pageSettings);
    return groupByKey(rows.map((row) => readState(query.build, row)));
  }

  async countKeys(
    query: Pick<ProjectionKeysQuery, 'build' | 'prefix'>,
    signal?: AbortSignal,
  ): Promise<number> {
    const [row] = await this.read<[number]>(countKeysSql(query), signal);
    return row?.[0] ?? 0;
  }

  async progress(builds: readonly string[], signal?: AbortSignal): Promise<ProjectionProgress[]> {
    if (builds.length === 0) return [];
    const rows = await this.read<SelectedProgress>(progressSql(builds), signal);
    return rows.map(readProgress);
  }

  private async insert<Row>(
    statement: string,
    rows: readonly Row[],
    write: (out: RowBinaryWriter, row: Row) => void,
  ): Promise<void> {
    if (rows.length === 0) return;
    const out = new RowBinaryWriter();
    for (const row of rows) write(out, row);
    await this.connection.insert(statement, [out.bytes()], replacingInsert);
  }

  private lookUp<Row extends readonly unknown[]>({ query, params }: Sql): Promise<Row[]> {
    return this.connection.select<Row>(query, { params, settings: lookupSettings, purpose: 'lookup' });
  }

  private read<Row extends readonly unknown[]>(
    { query, params }: Sql,
    signal?: AbortSignal,
    more: ClickHouseSettings = {},
  ): Promise<Row[]> {
    const settings = { ...boundSettings(this.bounds), ...finalSettings, ...more };
    return this.connection.select<Row>(query, { params, settings, signal });
  }
}
