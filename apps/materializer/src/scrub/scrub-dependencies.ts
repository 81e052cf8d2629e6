import type { IdWindowBounds } from '#dataflow';
import type { ErasureLookup, KafkaOrClickHouseRetrier } from '#engine';
import type { TopicAdmin, TopicPartition } from '#kafka';
import type { EventWriter, ScrubPassStore, Store } from '#store';
import type { Logger } from '#telemetry';
import type { MaterializedPartitionDependencies } from '../partition/materialized-partition.js';
import type { InsertErasureRepeater } from '../store-garbage/insert-erasure-repeater.js';
import type { RateLimit } from './rate-limit.js';
import type { ScrubSlots } from './scrub-slots.js';
import type { ScrubPasses } from './scrub-passes.js';

/** A stored event that the log does not have at its offset. */
export interface UnloggedEvent {
  offset: number;
  event_id: string;
}

/** Receives the stored events of one offset range that the log does not have at their offsets. */
export type UnloggedListener = (
  partition: TopicPartition & { stream: string },
  events: readonly UnloggedEvent[],
) => Promise<void>;

/** What the parts of a scrub share. */
export interface ScrubDependencies {
  writer: Pick<EventWriter, 'appendRowBatches' | 'offsetsOf'>;
  reader: Store['scrub'];
  admin: Pick<TopicAdmin, 'offsets'>;
  verdicts: MaterializedPartitionDependencies['verdicts'];
  erasures: ErasureLookup;
  window: IdWindowBounds;
  /** Receives the start and the end of each insert, so that an erasure that comes meanwhile is repeated. */
  inserts: Pick<InsertErasureRepeater, 'begin' | 'end'>;
  /** Runs one insert of the process at a time. */
  serially<T>(insert: () => Promise<T>): Promise<T>;
  retry: KafkaOrClickHouseRetrier;
  rate: RateLimit;
  passes: ScrubPasses;
  slots: ScrubSlots;
  /** Keeps the progress of passes that an operator requested. */
  progress: Pick<ScrubPassStore, 'save' | 'inPartition'>;
  logger: Logger;
  onUnlogged: UnloggedListener;
  /** Opens the task of the partition again. */
  reassign(partition: TopicPartition): void;
  /** Logs and counts a failure. */
  failed(error: unknown, partition?: TopicPartition): void;
}
