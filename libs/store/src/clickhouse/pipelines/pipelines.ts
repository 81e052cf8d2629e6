import type { ClickHouseSettings } from '@clickhouse/client';
import { assertRowsBounded } from '../../pipeline-rows.js';
import type {
  ClosedRows,
  DueQuery,
  PipelineProgress,
  PipelineReader,
  PipelineRow,
  PipelineWriter,
  StagePartition,
} from '../../pipeline-store.js';
import type { Connection } from '../connection.js';
import { replacingInsert } from '../insert-settings.js';
import type { Sql } from '../event-query.js';
import { longQuery, partsBySize } from '../parts-by-size.js';
import { boundSettings, type QueryBounds } from '../query-bounds.js';
import { RowBinaryWriter } from '../row-binary.js';
import {
  closedCondition,
  dueSql,
  loadSql,
  progressOfSql,
  progressSql,
  runsSql,
  stagesCondition,
} from './pipeline-query.js';
import {
  columns,
  readProgress,
  readRow,
  writeProgress,
  writeRow,
  type SelectedProgress,
  type SelectedRow,
} from './pipeline-rows.js';

const insertStatement = `INSERT INTO pipeline_states (${columns.join(', ')}) FORMAT RowBinary`;

/** Runs are partitions: rows that replace each other are never in two of them. */
const finalSettings: ClickHouseSettings = { do_not_merge_across_partitions_select_final: 1 };
const lookupSettings: ClickHouseSettings = { ...finalSettings, ...longQuery };
/** See `removal/row-set.ts`. Nobody waits for it: what has closed is passed over by whoever finds it. */
const removeClosedSettings: ClickHouseSettings = { lightweight_deletes_sync: '0', mutations_sync: '0' };
const removeSettings: ClickHouseSettings = { lightweight_deletes_sync: '2', mutations_sync: '2' };
/** A server refuses to drop what is large unless the statement says that it is meant. */
const dropSettings: ClickHouseSettings = { max_partition_size_to_drop: '0' };

export class ClickHousePipelines implements PipelineWriter, PipelineReader {
  constructor(
    private readonly connection: Connection,
    private readonly bounds: QueryBounds,
  ) {}

  async save(rows: readonly PipelineRow[], progress: readonly PipelineProgress[]): Promise<void> {
    if (rows.length === 0 && progress.length === 0) return;
    const out = new RowBinaryWriter();
    for (const row of rows) writeRow(out, row);
    for (const row of progress) writeProgress(out, row);
    await this.connection.insert(insertStatement, [out.bytes()], replacingInsert);
  }

  async load(place: StagePartition, names: readonly string[]): Promise<PipelineRow[]> {
    assertRowsBounded(names);
    const rows: PipelineRow[] = [];
    for (const part of partsBySize([...new Set(names)])) {
      const found = await this.lookUp<SelectedRow>(loadSql(place, part));
      for (const row of found) rows.push(readRow(place, row));
    }
    return rows;
  }

  async due(place: StagePartition, query: DueQuery): Promise<PipelineRow[]> {
    const rows = await this.lookUp<SelectedRow>(dueSql(place, query));
    return rows.map((row) => readRow(place, row));
  }

  async progressOf(place: StagePartition): Promise<PipelineProgress | undefined> {
    const [row] = await this.lookUp<SelectedProgress>(progressOfSql(place));
    return row && readProgress(row);
  }

  async removeClosed(run: string, closed: readonly ClosedRows[]): Promise<void> {
    if (closed.length > 0) await this.remove(run, closedCondition(closed), removeClosedSettings);
  }

  async removeStages(run: string, stages: readonly string[]): Promise<void> {
    if (stages.length > 0) await this.remove(run, stagesCondition(stages), removeSettings);
  }

  async removeRun(run: string): Promise<void> {
    const statement = 'ALTER TABLE pipeline_states DROP PARTITION {run:String}';
    await this.connection.command(statement, { run }, dropSettings);
  }

  async runs(): Promise<string[]> {
    const rows = await this.lookUp<[string]>({ query: runsSql, params: {} });
    return rows.map(([run]) => run);
  }

  async progress(runs: readonly string[], signal?: AbortSignal): Promise<PipelineProgress[]> {
    if (runs.length === 0) return [];
    const { query, params } = progressSql(runs);
    const settings = { ...boundSettings(this.bounds), ...finalSettings };
    const rows = await this.connection.select<SelectedProgress>(query, { params, settings, signal });
    return rows.map(readProgress);
  }

  /** A delete of nothing still goes through the whole run. */
  private async remove(run: string, condition: Sql, settings: ClickHouseSettings): Promise<void> {
    const where = `run = {run:String} AND ${condition.query}`;
    const params = { run, ...condition.params };
    const query = `SELECT 1 FROM pipeline_states WHERE ${where} LIMIT 1`;
    const found = await this.connection.select(query, { params, settings: longQuery, purpose: 'lookup' });
    if (found.length === 0) return;
    await this.connection.command(`DELETE FROM pipeline_states WHERE ${where}`, params, settings);
  }

  private lookUp<Row extends readonly unknown[]>({ query, params }: Sql): Promise<Row[]> {
    return this.connection.select<Row>(query, { params, settings: lookupSettings, purpose: 'lookup' });
  }
}
