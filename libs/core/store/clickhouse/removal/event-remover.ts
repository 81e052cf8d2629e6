import { StoreUnavailableError } from '../../errors.js';
import type { EntityErasure, EventRemover } from '../../event-remover.js';
import type { ClickHouseConnection } from '../connection/store-clickhouse-client.js';
import { dropStream, removeLateRows } from './drop-stream.js';
import { countEntity, eraseEntity } from './erase-entity.js';
import { InProcessRemovalQueue } from './in-process-removal-queue.js';
import { removeLost, reuseOffsets } from './lost-events.js';
import { expire, truncate } from './retention.js';
import { RowRemover } from './row-remover.js';

/**
 * Maximum number of unfinished mutations in ClickHouse, of all processes. The unfinished mutations include timed-out
 * removals and purges.
 */
const maxUnfinishedMutations = 20;

const unfinishedMutationsSql =
  'SELECT count() FROM system.mutations WHERE database = currentDatabase() AND NOT is_done';

/** Selects the tables that have data parts with deleted rows, unless a rewrite of them is in progress. */
const unpurgedTablesSql = `
SELECT DISTINCT table
FROM system.parts
WHERE database = currentDatabase() AND active AND has_lightweight_delete
  AND table NOT IN (
    SELECT table FROM system.mutations
    WHERE database = currentDatabase() AND NOT is_done AND command LIKE '%APPLY DELETED MASK%')`;

/** Removes events and the rows derived from them from ClickHouse, one removal after the other. */
export class ClickHouseEventRemover implements EventRemover {
  private readonly queue = new InProcessRemovalQueue();
  private readonly rows: RowRemover;

  constructor(private readonly connection: ClickHouseConnection) {
    this.rows = new RowRemover(connection);
  }

  eraseEntity(erasure: EntityErasure): Promise<number> {
    return this.enqueue(() => eraseEntity(this.rows, erasure));
  }

  async countEntity(erasure: Parameters<EventRemover['countEntity']>[0]): Promise<number> {
    await this.connection.caughtUp();
    return countEntity(this.rows, erasure);
  }

  expire(query: Parameters<EventRemover['expire']>[0]): Promise<number> {
    return this.enqueue(() => expire(this.rows, query));
  }

  truncate(query: Parameters<EventRemover['truncate']>[0]): Promise<number> {
    return this.enqueue(() => truncate(this.rows, query));
  }

  removeLost(lost: Parameters<EventRemover['removeLost']>[0]): Promise<void> {
    return this.enqueue(() => removeLost(this.rows, lost));
  }

  reuseOffsets(query: Parameters<EventRemover['reuseOffsets']>[0]): Promise<void> {
    return this.enqueue(() => reuseOffsets(this.rows, query));
  }

  dropStream(stream: string): Promise<void> {
    return this.enqueue(() => dropStream(this.rows, stream));
  }

  removeLateRows(): Promise<number> {
    return this.enqueue(() => removeLateRows(this.rows));
  }

  purge(): Promise<void> {
    return this.queue.run(async () => {
      for (const [table] of await this.rows.lookUp<[string]>(unpurgedTablesSql)) {
        const statement = 'ALTER TABLE {table:Identifier} APPLY DELETED MASK';
        await this.connection.command(statement, { table }, { mutations_sync: '0' });
      }
    });
  }

  private enqueue<T>(removal: () => Promise<T>): Promise<T> {
    return this.queue.run(async () => {
      // Others may have written to another replica.
      await this.connection.caughtUp();
      const [row] = await this.rows.lookUp<[number]>(unfinishedMutationsSql);
      if ((row?.[0] ?? 0) < maxUnfinishedMutations) return removal();
      throw new StoreUnavailableError(
        `ClickHouse has not finished ${row?.[0]} earlier removals: try again later`,
      );
    });
  }
}
