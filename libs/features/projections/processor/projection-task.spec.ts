import { describe, expect, it } from 'vitest';
import type { RecordBatch } from '#kafka';
import { SharedIdWindows } from '#dataflow';
import { ownedPartition } from '../../../core/engine/owned-partition.fixture.js';
import { topics, window } from '../../../../apps/processor/src/processor.fixture.js';
import type { PartitionProjector } from './partition-projector.js';
import { ProjectionTask } from './projection-task.js';
import type { ProjectionCheckpointer } from './save-states.js';
import type { BackfillFromStore } from './backfill-from-store.js';

const topic = topics.ofStream('orders#1');
const batch = (next: number): RecordBatch => ({
  ...{ topic, partition: 0, records: [], bytes: 0, next, highWatermark: next },
});

/**
 * Creates the task of a partition whose records below offset 5 are deleted from Kafka, and whose states are saved up to
 * the offset `from`.
 */
function given({ from }: { from: number }) {
  const partition = ownedPartition({ topic, position: 5, beginning: 5 });
  const [added, committed]: [unknown[], number[]] = [[], []];
  partition.commitFrom(Math.min(from, 4));
  const offer = partition.commits.offer.bind(partition.commits);
  partition.commits.offer = (next) => (committed.push(next), offer(next));
  let next = from;
  const projector = {
    get reached() {
      return { next, known: next };
    },
    take: async (taken: RecordBatch) => {
      next = taken.next;
      return { processed: 1, failed: 0, duplicates: 0 };
    },
    close: () => undefined,
  } as unknown as PartitionProjector;
  const task = new ProjectionTask({
    ...{
      partition,
      projector,
      from,
      window: new SharedIdWindows(window).open({
        ...{ topic, partition: 0, beginning: 5, position: from, warmUpStart: 5, readsStore: true },
        epochBefore: () => -1,
      }),
    },
    place: { name: 'revenue', topic, stream: 'orders#1', partition: 0 },
    history: {
      fill: async (_place, folder) => folder.fold(batch(5), 5),
    } as Pick<BackfillFromStore, 'fill'> as BackfillFromStore,
    checkpointer: {
      permit: async () => () => undefined,
      add: (one) => added.push(one),
    } as Pick<ProjectionCheckpointer, 'permit' | 'add'> as ProjectionCheckpointer,
    onFailure: (error) => {
      throw error;
    },
  });
  return { task, added, committed };
}

describe('The task of a partition whose first records are deleted', () => {
  it('does not commit events that it folds from the store before their states are saved', async () => {
    const { task, added, committed } = given({ from: 0 });
    await task.ready;
    expect([added.length, committed]).toEqual([1, []]);
  });

  it('commits the offset that the previous owner has saved but not committed', async () => {
    const { task, added, committed } = given({ from: 5 });
    await task.ready;
    expect([added, committed]).toEqual([[], [5]]);
  });
});
