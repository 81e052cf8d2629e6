import type { KafkaOrClickHouseRetrier } from '#engine';
import type { EventRowBatch } from '#store';
import type { MaterializedPartition } from './materialized-partition.js';
import type { AcceptedOffsetsByEventId, SuspectedDuplicateIds } from './partition-row-builder.js';
import type { MaterializerStore } from './materializer-store.js';

interface AcceptedOffsetLookupOptions {
  writer: Pick<MaterializerStore, 'offsetsOf'>;
  retry: KafkaOrClickHouseRetrier;
  /** Returns the row batches of a partition that are not stored yet. */
  unstored(state: MaterializedPartition): readonly EventRowBatch[];
}

/** Looks up at which offsets events are accepted: in the store, and in the row batches that are not stored yet. */
export class AcceptedEventOffsetLookup {
  constructor(private readonly options: AcceptedOffsetLookupOptions) {}

  async offsetsOf(
    state: MaterializedPartition,
    suspects: SuspectedDuplicateIds,
  ): Promise<AcceptedOffsetsByEventId> {
    const { writer, retry } = this.options;
    const { stream, partition, ended } = state;
    // The rows in memory are read first: a row that is stored meanwhile is then found in the store.
    const waiting = this.amongUnstored(state, suspects);
    const query = { stream, partition, ...suspects };
    const stored = await retry.run('store', ended, () => writer.offsetsOf(query));
    for (const [id, offset] of waiting) stored.set(id, [...(stored.get(id) ?? []), offset]);
    return stored;
  }

  private amongUnstored(
    state: MaterializedPartition,
    { eventIds, from, until }: SuspectedDuplicateIds,
  ): [string, number][] {
    const wanted = new Set(eventIds);
    const found: [string, number][] = [];
    for (const rows of this.options.unstored(state)) {
      if (rows.count === 0 || rows.offsetOf(0) >= until || rows.offsetOf(rows.count - 1) < from) continue;
      for (let row = 0; row < rows.count; row++) {
        const id = rows.eventIdOf(row);
        if (wanted.has(id)) found.push([id, rows.offsetOf(row)]);
      }
    }
    return found;
  }
}
