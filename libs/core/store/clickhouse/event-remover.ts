import { StoreUnavailableError } from '../errors.js';
import type { EntityErasure, EventRemover } from '../event-remover.js';
import type { StoreClickHouseClient } from './store-clickhouse-client.js';
import { dropStream, removeLateRows } from './removal/drop-stream.js';
import { countEntity, eraseEntity } from './removal/erase-entity.js';
import { expire, truncate } from './removal/retention.js';
import { purge } from './removal/purge.js';
import { InProcessRemovalQueue } from './removal/in-process-removal-queue.js';

/**
 * Maximum number of unfinished mutations in ClickHouse, of all processes. The unfinished mutations include timed-out
 * removals and purges.
 */
const maxUnfinishedMutations = 20;

const unfinishedMutationsSql =
  'SELECT count() FROM system.mutations WHERE database = currentDatabase() AND NOT is_done';

/** Removes events and the rows derived from them from ClickHouse, one removal after the other. */
export class ClickHouseEventRemover implements EventRemover {
  private readonly queue = new InProcessRemovalQueue();

  constructor(private readonly connection: StoreClickHouseClient) {}

  eraseEntity(erasure: EntityErasure): Promise<number> {
    return this.run(() => eraseEntity(this.connection, erasure));
  }

  countEntity(erasure: Parameters<EventRemover['countEntity']>[0]): Promise<number> {
    return countEntity(this.connection, erasure);
  }

  expire(query: Parameters<EventRemover['expire']>[0]): Promise<number> {
    return this.run(() => expire(this.connection, query));
  }

  truncate(query: Parameters<EventRemover['truncate']>[0]): Promise<number> {
    return this.run(() => truncate(this.connection, query));
  }

  dropStream(stream: string): Promise<void> {
    return this.run(() => dropStream(this.connection, stream));
  }

  removeLateRows(): Promise<number> {
    return this.run(() => removeLateRows(this.connection));
  }

  purge(): Promise<void> {
    return this.queue.run(() => purge(this.connection));
  }

  private run<T>(removal: () => Promise<T>): Promise<T> {
    return this.queue.run(async () => {
      await this.assertRoom();
      return removal();
    });
  }

  private async assertRoom(): Promise<void> {
    const [row] = await this.connection.select<[number]>(unfinishedMutationsSql, { purpose: 'lookup' });
    if ((row?.[0] ?? 0) < maxUnfinishedMutations) return;
    throw new StoreUnavailableError(
      `ClickHouse has not finished ${row?.[0]} earlier removals: try again later`,
    );
  }
}
