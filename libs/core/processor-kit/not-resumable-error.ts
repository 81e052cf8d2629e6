import { setTimeout as sleep } from 'node:timers/promises';
import type { OwnedPartition } from '#engine';
import { unknownEpoch, type Log } from '#kafka';
import type { PartitionCheckpoint } from '#store';

/**
 * Error: a generation of a projection or a job of a pipeline cannot continue from its checkpoint, because records or saved state
 * no longer exist. The projection or pipeline must be reset, which the message says.
 */
export class NotResumableError extends Error {
  override readonly name = 'NotResumableError';
}

/** Milliseconds between two polls of a partition's end offset. */
const pollMs = 500;

/**
 * Resolves with the end offset of the partition, if the log has the records below the checkpoint.
 * @param where The partition in words. `reset`: what must be reset. `patienceMs`: how long an end offset below the checkpoint is looked up
 *   again, because a broker that has just become the leader may at first report an end offset that is too low.
 * @throws NotResumableError if the log has lost some of these records. The task would mistake new records at their offsets for
 *   records that it has already processed.
 */
export async function endAfterCheckpoint(
  { topic, partition, assignment, ended }: OwnedPartition,
  { next, leader_epoch = unknownEpoch }: Pick<PartitionCheckpoint, 'next' | 'leader_epoch'>,
  options: { log: Pick<Log, 'admin'>; where: string; reset: 'pipeline' | 'projection'; patienceMs: number },
): Promise<number> {
  const { log, where, reset, patienceMs } = options;
  const { lost, position } = assignment;
  const requireNone = (from = next): void => {
    if (from < next)
      throw new NotResumableError(
        `Kafka has lost records of ${where} that the ${reset} has processed, from offset ${from} on. Reset the ${reset}.`,
      );
  };
  requireNone(lost?.from);
  const until = performance.now() + patienceMs;
  for (;;) {
    const offsets = await log.admin.offsets(topic);
    const end = offsets.find((one) => one.partition === partition)?.end ?? position;
    if (end >= next) {
      // The group's committed offset can be lost together with the records: then only the checkpoint knows of them.
      requireNone(await assignment.lostBefore({ offset: next, leaderEpoch: leader_epoch }));
      return end;
    }
    if (performance.now() >= until) break;
    await sleep(Math.min(pollMs, patienceMs), undefined, { signal: ended });
  }
  throw new NotResumableError(
    `The log of ${where} ends before the checkpoint: the topic was created again, or has lost records. Reset the ${reset}.`,
  );
}
