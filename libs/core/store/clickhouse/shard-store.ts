import type { ShardStore } from './cluster/shard-store.js';
import type { QueryLimits } from './connection/settings.js';
import type { ClickHouseConnection } from './connection/store-clickhouse-client.js';
import { ClickHouseEventRemover } from './removal/event-remover.js';
import { ClickHouseScrubPasses } from './scrub-passes.js';
import { ClickHouseScrubReader } from './scrub-reader.js';
import { ClickHouseKeyedStates } from './states/keyed-states.js';
import { ClickHouseWriter } from './writer.js';

/** Returns the store of the tables that a connection reaches. */
export function shardStore<Connection extends ClickHouseConnection>(
  connection: Connection,
  bounds: QueryLimits,
): Omit<ShardStore, 'connection'> & { connection: Connection } {
  return {
    connection,
    writer: new ClickHouseWriter(connection),
    eraser: new ClickHouseEventRemover(connection),
    scrubPasses: new ClickHouseScrubPasses(connection),
    scrub: new ClickHouseScrubReader(connection),
    projections: new ClickHouseKeyedStates(connection, bounds, 'projection_states'),
    projectionResults: new ClickHouseKeyedStates(connection, bounds, 'projection_results'),
    pipelines: new ClickHouseKeyedStates(connection, bounds, 'pipeline_states'),
  };
}
