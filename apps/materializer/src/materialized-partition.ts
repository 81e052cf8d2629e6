import type { OffsetCommitter, MeasuredPartition, PartitionErasures } from '#engine';
import type { StreamId } from '#event';
import type { PartitionAssignment } from '#log';
import type { IdWindow } from '#dataflow';
import type { PartitionRowBuilder } from './partition-row-builder.js';
import type { StoredEventLookup } from './stored-event-lookup.js';
import type { PartitionVersionCache } from './version-cache.js';

/** The state of one assigned partition, from its assignment until the state is discarded. */
export interface MaterializedPartition extends MeasuredPartition {
  readonly topic: string;
  readonly partition: number;
  /** The stream's id. */
  readonly stream: StreamId;
  /** The stream's name, as in metrics and traces. */
  readonly name: string;
  readonly assignment: PartitionAssignment;
  readonly fold: PartitionRowBuilder;
  readonly window: IdWindow;
  readonly stored: StoredEventLookup;
  readonly versions: PartitionVersionCache;
  readonly erasures: PartitionErasures;
  readonly commits: OffsetCommitter;
  /** Aborted when the state is discarded. */
  readonly ended: AbortSignal;
  /** Whether the log time of the id window is set. */
  primed: boolean;
  /** The last known end offset of the partition: the offset of the next record. */
  end: number;
  /** Log time, in milliseconds since 1970, up to which all records are stored. */
  handledUntil: number;
}
