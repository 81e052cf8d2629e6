import type { ConsumerRecord } from '#kafka';
import type { EventRowBatch } from '#store';
import { hasConditional, type Verdict } from '#verdicts';
import { conditionalWrites } from '../metrics/materializer-metrics.js';
import type { LatestEntityVersion } from '../number/entity-version-cache.js';
import type { AssignedPartitions } from '../partition/assigned-partitions.js';
import type { MaterializedPartition } from '../partition/materialized-partition.js';
import type { MaterializerDependencies } from '../partition/materializer-dependencies.js';
import type { UnversionedBatch } from '../rows/partition-row-builder.js';

/**
 * Time limit in milliseconds of one attempt to read the verdicts of earlier partition owners; a failed attempt is
 * repeated.
 */
const upToDateMs = 10_000;

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

  constructor(
    private readonly dependencies: MaterializerDependencies,
    assignments: Pick<AssignedPartitions, 'get'>,
  ) {
    dependencies.verdicts.listen({
      stale: ({ topic, partition }) => {
        const state = assignments.get(topic, partition);
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
    for (const entity of state.builder.entitiesToCompare(records)) {
      const cached = state.versions.get(entity);
      // Events below the end of an erasure have no version any more.
      const latest = cached ?? { version: 0, offset: state.erasures.endOf(entity) };
      compared.set(entity, latest);
      if (!cached) missing.set(entity, latest);
    }
    // An entity with an unstored event is always cached, so all earlier events of the missing entities are stored.
    const before = Math.max(records[0]!.offset, state.builder.next, state.assignment.position);
    await state.loadVersions(missing, before);
    return compared;
  }

  /**
   * Resolves when the verdict table has the verdicts of the partition's earlier owners; at once if the topic `verdicts`
   * does not exist, so that no record is refused.
   */
  async learnIfAny(state: MaterializedPartition): Promise<void> {
    const { retry, verdicts } = this.dependencies;
    if (this.checked.has(state)) return;
    if (await retry.run('log', state.ended, () => verdicts.readyIfUsed()))
      await this.learnEarlierVerdicts(state);
    this.checked.add(state);
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
    const { publisher, retry } = this.dependencies;
    await retry.run('log', ended, () => publisher.publish({ topic, partition }, next, all));
    const decided = verdicts.filter(({ repeated: repetition }) => !repetition);
    const rejected = decided.filter(({ current_version }) => current_version !== undefined).length;
    const partial = decided.filter(({ partial: isPartial }) => isPartial).length;
    conditionalWrites.inc({ verdict: 'refused' }, rejected - partial);
    conditionalWrites.inc({ verdict: 'partial_repeat' }, partial);
    conditionalWrites.inc({ verdict: 'accepted' }, decided.length - rejected);
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
    const { retry, verdicts } = this.dependencies;
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
    for (const rows of [own, ...state.unstored.map((batch) => batch.rows)]) {
      for (let row = 0; row < rows.count && missing.size > 0; row++) {
        const id = rows.eventIdOf(row);
        if (!missing.delete(id)) continue;
        versions.set(id, rows.entityOf(row) === null ? null : rows.versionOf(row));
      }
    }
    if (missing.size > 0) {
      const { writer, retry } = this.dependencies;
      const { stream, partition, ended } = state;
      const query = { stream, partition, eventIds: [...missing] };
      const stored = await retry.run('store', ended, () => writer.versionsOf(query));
      for (const [id, version] of stored) versions.set(id, version);
    }
    return repeated.map(({ offset, eventId, isFar }) => ({
      offset,
      version: versions.get(eventId) ?? null,
      repeated: isFar ? ('far' as const) : ('near' as const),
    }));
  }

  /**
   * Publishes the verdicts again for each offset range whose newest record in the topic `verdicts` is stale. If the
   * verdicts were not published again, compaction would keep only the stale records.
   */
  private async repeatStale({ topic, partition, ended }: MaterializedPartition): Promise<void> {
    const { publisher, verdicts, retry, logger } = this.dependencies;
    try {
      for (const range of verdicts.staleRanges({ topic, partition }))
        await retry.run('log', ended, () => publisher.repeat({ topic, partition }, range));
    } catch (error) {
      if (!ended.aborted)
        logger.error({ err: error as Error, topic, partition }, 'verdicts could not be written again');
    }
  }
}
