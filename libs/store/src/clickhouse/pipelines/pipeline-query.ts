import type { ClosedRows, DueQuery, StagePartition } from '../../pipeline-store.js';
import type { Sql } from '../event-query.js';
import { Params } from '../params.js';

/** The columns in the order in which `readRow` reads them. */
const rowSelection = 'name, state, closes_at, position, toUnixTimestamp64Micro(updated_at)';

/** The columns in the order in which `readProgress` reads them. */
const progressSelection =
  'run, stage, stream, partition, state, position, toUnixTimestamp64Micro(updated_at)';

const ofPlace = `run = {run:String} AND kind = 'row' AND stage = {stage:String}
  AND stream = {stream:String} AND partition = {partition:UInt16}`;

/** ORDER BY position: so that the last row of each name is the one that is kept (see projections, `loadSql`). */
export function loadSql(place: StagePartition, names: readonly string[]): Sql {
  return {
    query: `SELECT ${rowSelection}
FROM pipeline_states
WHERE ${ofPlace} AND name IN {names:Array(String)}
ORDER BY position DESC
LIMIT 1 BY name`,
    params: { ...paramsOf(place), names },
  };
}

/** ORDER BY closes_at, name: what the port promises, and what a page begins after. */
export function dueSql(place: StagePartition, { until, after, limit }: DueQuery): Sql {
  const params = new Params();
  const conditions = [`closes_at <= ${params.bind('Int64', until)}`];
  if (after) {
    const place = `${params.bind('Int64', after.closes_at)}, ${params.bind('String', after.name)}`;
    conditions.push(`(closes_at, name) > (${place})`);
  }
  return {
    query: `SELECT ${rowSelection}
FROM pipeline_states FINAL
WHERE ${[ofPlace, ...conditions].join(' AND ')}
ORDER BY closes_at, name
LIMIT ${params.bind('UInt64', limit)}`,
    params: { ...params.values, ...paramsOf(place) },
  };
}

export function progressOfSql(place: StagePartition): Sql {
  return {
    query: `SELECT ${progressSelection}
FROM pipeline_states
WHERE kind = 'progress' AND run = {run:String} AND stage = {stage:String}
  AND stream = {stream:String} AND partition = {partition:UInt16}
ORDER BY position DESC
LIMIT 1`,
    params: paramsOf(place),
  };
}

/** ORDER BY run, stage, stream, partition: what the port promises. */
export function progressSql(runs: readonly string[]): Sql {
  return {
    query: `SELECT ${progressSelection}
FROM pipeline_states FINAL
WHERE kind = 'progress' AND run IN {runs:Array(String)}
ORDER BY run, stage, stream, partition`,
    params: { runs },
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

/** What a run has of stages, its progress included. */
export function stagesCondition(stages: readonly string[]): Sql {
  return { query: 'stage IN {stages:Array(String)}', params: { stages } };
}

/** What is dropped leaves parts without rows for a while. */
export const runsSql = `SELECT DISTINCT partition
FROM system.parts
WHERE database = currentDatabase() AND table = 'pipeline_states' AND active AND rows > 0
ORDER BY partition`;

function paramsOf({ run, stage, stream, partition }: StagePartition): Record<string, unknown> {
  return { run, stage, stream, partition };
}
