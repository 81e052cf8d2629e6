import type { OffsetCommitter, MeasuredPartition, PartitionErasures } from '#engine';
import type { StreamId } from '#event';
import type { NewlyAssignedPartition } from '#log';
import type { IdWindow } from '#dataflow';
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
  readonly stored: StoredEventLookup;
  readonly versions: PartitionEntityVersionCache;
  readonly erasures: PartitionErasures;
  readonly commits: OffsetCommitter;
  /** Aborted when the state of the partition is discarded. */
  readonly ended: AbortSignal;
  /** Whether the log time from which the id window starts is set, which happens before the first record is read. */
  primed: boolean;
  /** The last known end offset of the partition: the offset of the next record that is appended. */
  end: number;
  /** Log time, in milliseconds since 1970, up to which all records of the partition are stored. */
  handledUntil: number;
}
