import { withAnySignal } from '#async';
import type { EventRowBatch } from '#store';
import { rangeOf, VerdictConflictError, type VerdictPublisher, type VerdictTable } from '#verdicts';
import type { MaterializedPartition } from '../partition/materialized-partition.js';
import type { MaterializerDependencies } from '../partition/materializer-dependencies.js';

interface DecidedMarkPublisherDependencies extends Pick<MaterializerDependencies, 'retry'> {
  publisher: Pick<VerdictPublisher, 'mark'>;
  verdicts: Pick<VerdictTable, 'decidedUntil' | 'refusedIn' | 'isRefused'>;
}

/**
 * Publishes how far busy partitions are decided. Other consumers of a busy partition wait for these marks, because its
 * records can be far duplicates. A batch is inserted and committed only after its mark is in the log: from then on, no
 * other process can refuse its records.
 *
 * One append at a time runs; it has the newest mark of each partition that was requested meanwhile.
 */
export class DecidedMarkPublisher {
  private readonly requested = new Map<MaterializedPartition, number>();
  private running: Promise<void> | undefined;

  constructor(private readonly dependencies: DecidedMarkPublisherDependencies) {}

  /**
   * Resolves when all records of the partition below `next` are decided in the log, or the partition is no longer
   * assigned.
   * @throws VerdictConflictError if another process has refused one of these rows
   */
  async mark(state: MaterializedPartition, next: number, rows: EventRowBatch): Promise<void> {
    const { verdicts } = this.dependencies;
    while (verdicts.decidedUntil(state) < next) {
      if (state.ended.aborted) return;
      this.requested.set(state, Math.max(next, this.requested.get(state) ?? 0));
      this.running ??= this.publish();
      await this.running;
    }
    this.assertAccepted(state, rows);
  }

  private async publish(): Promise<void> {
    // The marks of batches that are being built at the same time are published together.
    await new Promise((resolve) => setImmediate(resolve));
    const requested = [...this.requested];
    this.requested.clear();
    const { publisher, retry } = this.dependencies;
    const marks = requested.map(([{ topic, partition }, decided]) => ({ topic, partition, decided }));
    const ended = requested.map(([state]) => state.ended);
    try {
      await withAnySignal(ended, (signal) => retry.run('log', signal, () => publisher.mark(marks)));
    } catch (error) {
      // The partitions that are still assigned request their marks again.
      if (!ended.some(({ aborted }) => aborted)) throw error;
    } finally {
      this.running = undefined;
    }
  }

  private assertAccepted(state: MaterializedPartition, rows: EventRowBatch): void {
    const { verdicts } = this.dependencies;
    let [range, hasRejected] = [-1, false];
    for (let row = 0; row < rows.count; row++) {
      const offset = rows.offsetOf(row);
      if (rangeOf(offset) !== range) {
        range = rangeOf(offset);
        hasRejected = verdicts.refusedIn(state, range).length > 0;
      }
      if (hasRejected && verdicts.isRefused(state, offset))
        throw new VerdictConflictError(
          `${state.topic}/${state.partition}: another process has refused the record at offset ${offset}`,
        );
    }
  }
}
