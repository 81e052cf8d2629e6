import type { OffsetCommitter, MeasuredPartition, PartitionErasureLookup } from '#engine';
import type { StreamId } from '#event';
import type { NewlyAssignedPartition } from '#kafka';
import type { BusyPartitionDetector, IdHistory, IdWindow } from '#dataflow';
import type { PartitionRowBuilder } from './partition-row-builder.js';
import type { StoredEventLookup } from './stored-event-lookup.js';
import type { PartitionEntityVersionCache } from './entity-version-cache.js';

/**
 * The state of one partition that is assigned to this materializer, from the assignment until the state is discarded.
 */
export interface MaterializedPartition extends MeasuredPartition {
  readonly topic: string;
  readonly partition: number;
  /** Id of the stream whose partition this is. */
  readonly stream: StreamId;
  /** Name of the stream, for metrics and traces. */
  readonly name: string;
  readonly assignment: NewlyAssignedPartition;
  readonly fold: PartitionRowBuilder;
  readonly window: IdWindow;
  /** The ids that have left the id window. */
  readonly history: IdHistory;
  /** Whether the partition has so many records that other consumers may wait for its decisions. */
  readonly busy: BusyPartitionDetector;
  readonly stored: StoredEventLookup;
  readonly versions: PartitionEntityVersionCache;
  readonly erasures: PartitionErasureLookup;
  readonly commits: OffsetCommitter;
  /** Aborted when the state of the partition is discarded. */
  readonly ended: AbortSignal;
  /** Whether the id window knows its first log time and the history is loaded, which precedes the first record. */
  primed: boolean;
  /** The last known end offset of the partition: the offset of the next record that is appended. */
  end: number;
  /** Log time, in milliseconds since 1970, up to which all records of the partition are stored. */
  handledUntil: number;
}
