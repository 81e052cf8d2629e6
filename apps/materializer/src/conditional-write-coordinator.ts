import type { KafkaOrClickHouseRetrier } from '#engine';
import type { ConsumerRecord } from '#kafka';
import type { EventRowBatch } from '#store';
import type { Logger } from '#telemetry';
import { hasConditional, type Verdict, type VerdictPublisher, type VerdictTable } from '#verdicts';
import { loadVersions } from './load-versions.js';
import type { MaterializedPartition } from './materialized-partition.js';
import type { UnversionedBatch } from './partition-row-builder.js';
import type { MaterializerStore } from './materializer-store.js';
import type { LatestEntityVersion } from './entity-version-cache.js';
import { conditionalWrites } from './materializer-metrics.js';

/**
 * Time limit in milliseconds of one attempt to read the verdicts of earlier partition owners; a failed attempt is
 * repeated.
 */
const upToDateMs = 10_000;

interface ConditionalWritesOptions {
  verdicts: VerdictTable;
  publisher: VerdictPublisher;
  writer: Pick<MaterializerStore, 'latestVersions' | 'versionsOf'>;
  retry: KafkaOrClickHouseRetrier;
  logger: Logger;
  /** Returns the state of a partition; undefined if the partition is not assigned to this process. */
  assigned(topic: string, partition: number): MaterializedPartition | undefined;
  /** Returns the row batches of a partition that are not stored yet. */
  unstored(state: MaterializedPartition): readonly EventRowBatch[];
}

/**
 * Prepares the decisions on the conditional records of a batch, and publishes the verdicts. `PartitionRowBuilder` takes
 * each decision. The offset of a batch is committed only after the verdicts of the batch are in the log, so that no
 * record gets two different valid verdicts.
 */
export class ConditionalWriteCoordinator {
  /** Assigned partitions for which the verdict table has the verdicts of all earlier owners. */
  private readonly upToDate = new WeakSet<MaterializedPartition>();
  /** Assigned partitions for which this is so, or whose earlier owners have published no verdict. */
  private readonly checked = new WeakSet<MaterializedPartition>();

  constructor(private readonly options: ConditionalWritesOptions) {
    options.verdicts.listen({
      stale: ({ topic, partition }) => {
        const state = options.assigned(topic, partition);
        if (state) void this.repeatStale(state);
      },
    });
  }

  /** Called when a partition is revoked: another process may decide its records from now on. */
  revoked(state: MaterializedPartition): void {
    this.upToDate.delete(state);
    this.checked.delete(state);
  }

  /**
   * Loads what the decisions on a batch need. Resolves with the latest versions of the entities of the batch's
   * conditional records; undefined if the batch has no conditional record.
   */
  async prepare(
    state: MaterializedPartition,
    records: readonly ConsumerRecord[],
  ): Promise<ReadonlyMap<string, LatestEntityVersion> | undefined> {
    if (!hasConditional(records)) return undefined;
    await this.learnEarlierVerdicts(state);
    const compared = new Map<string, LatestEntityVersion>();
    const missing = new Map<string, LatestEntityVersion>();
    for (const entity of state.fold.entitiesToCompare(records)) {
      const cached = state.versions.get(entity);
      // Events below the end of an erasure have no version any more.
      const latest = cached ?? { version: 0, offset: state.erasures.endOf(entity) };
      compared.set(entity, latest);
      if (!cached) missing.set(entity, latest);
    }
    if (missing.size > 0 && !state.versions.complete) await this.load(state, records[0]!, missing);
    return compared;
  }

  /**
   * Resolves when the verdict table has the verdicts of the partition's earlier owners; at once if the topic `verdicts`
   * does not exist, so that no record is refused.
   */
  async learnIfAny(state: MaterializedPartition): Promise<void> {
    const { retry, verdicts } = this.options;
    if (this.checked.has(state)) return;
    if (await retry.run('log', state.ended, () => verdicts.readyIfUsed()))
      await this.learnEarlierVerdicts(state);
    this.checked.add(state);
  }

  private async load(
    { stream, partition, erasures, ended, fold, assignment }: MaterializedPartition,
    first: ConsumerRecord,
    heads: ReadonlyMap<string, LatestEntityVersion>,
  ): Promise<void> {
    const { retry, writer } = this.options;
    // An entity with an unstored event is always cached, so all earlier events of the entities that are loaded here are
    // stored.
    const before = Math.max(first.offset, fold.next, assignment.position);
    const wanted = { stream, partition, heads, before };
    await retry.run('store', ended, () => loadVersions(writer, wanted, erasures));
  }

  /**
   * Publishes the verdicts of a batch, on conditional records and far duplicates. Resolves false if the batch has none.
   * @param rows The rows of the batch with their versions.
   * @throws VerdictConflictError if another process has decided a record differently
   */
  async publish(
    state: MaterializedPartition,
    { verdicts, repeated }: Pick<UnversionedBatch, 'verdicts' | 'repeated'>,
    { rows, next }: { rows: EventRowBatch; next: number },
  ): Promise<boolean> {
    const all = [...verdicts, ...(await this.repeats(state, repeated, rows))];
    if (all.length === 0) return false;
    all.sort((a, b) => a.offset - b.offset);
    const { topic, partition, ended } = state;
    const { publisher, retry } = this.options;
    await retry.run('log', ended, () => publisher.publish({ topic, partition }, next, all));
    const decided = verdicts.filter(({ repeats }) => !repeats);
    const refused = decided.filter(({ current_version }) => current_version !== undefined).length;
    conditionalWrites.inc({ verdict: 'refused' }, refused);
    conditionalWrites.inc({ verdict: 'accepted' }, decided.length - refused);
    conditionalWrites.inc({ verdict: 'repeated' }, repeated.length);
    return true;
  }

  /**
   * Waits until the verdict table has the verdicts of the partition's earlier owners; once for each assignment. An
   * owner publishes the verdicts on a batch before it commits the batch, so the topic `verdicts` has a verdict on every
   * conditional record below the committed offset.
   */
  private async learnEarlierVerdicts(state: MaterializedPartition): Promise<void> {
    if (this.upToDate.has(state)) return;
    const { retry, verdicts } = this.options;
    await retry.run('log', state.ended, () => verdicts.upToDate(upToDateMs));
    this.upToDate.add(state);
    await this.repeatStale(state);
  }

  /**
   * Returns the verdicts on records that repeat accepted events: each repeat gets the version of the accepted event.
   */
  private async repeats(
    state: MaterializedPartition,
    repeated: UnversionedBatch['repeated'],
    own: EventRowBatch,
  ): Promise<Verdict[]> {
    if (repeated.length === 0) return [];
    const missing = new Set(repeated.map(({ eventId }) => eventId));
    const versions = new Map<string, number | null>();
    for (const rows of [own, ...this.options.unstored(state)]) {
      for (let row = 0; row < rows.count && missing.size > 0; row++) {
        const id = rows.eventIdOf(row);
        if (!missing.delete(id)) continue;
        versions.set(id, rows.entityOf(row) === null ? null : rows.versionOf(row));
      }
    }
    for (const [id, version] of await this.stored(state, [...missing])) versions.set(id, version);
    return repeated.map(({ offset, eventId, isFar }) => ({
      ...{ offset, version: versions.get(eventId) ?? null },
      ...(isFar && { repeats: true as const }),
    }));
  }

  private async stored(
    { stream, partition, ended }: MaterializedPartition,
    eventIds: readonly string[],
  ): Promise<ReadonlyMap<string, number | null>> {
    if (eventIds.length === 0) return new Map();
    const { writer, retry } = this.options;
    return retry.run('store', ended, () => writer.versionsOf({ stream, partition, eventIds }));
  }

  /**
   * Publishes the verdicts again for each offset range whose newest record in the topic `verdicts` is stale. If the
   * verdicts were not published again, compaction would keep only the stale records.
   */
  private async repeatStale({ topic, partition, ended }: MaterializedPartition): Promise<void> {
    const { publisher, verdicts, retry, logger } = this.options;
    try {
      for (const range of verdicts.staleRanges({ topic, partition }))
        await retry.run('log', ended, () => publisher.repeat({ topic, partition }, range));
    } catch (error) {
      if (!ended.aborted)
        logger.error({ err: error as Error, topic, partition }, 'verdicts could not be written again');
    }
  }
}
