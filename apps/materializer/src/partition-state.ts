import type { CommitLine, FollowedPartition, PartitionErasures } from '#engine';
import type { StreamId } from '#event';
import type { Assignment } from '#log';
import type { IdWindow } from '#dataflow';
import type { PartitionFold } from './partition-fold.js';
import type { StoredEvents } from './stored-events.js';
import type { PartitionVersions } from './version-cache.js';

/** The state of one assigned partition, from its assignment until the state is discarded. */
export interface PartitionState extends FollowedPartition {
  readonly topic: string;
  readonly partition: number;
  /** The stream's id. */
  readonly stream: StreamId;
  /** The stream's name, as in metrics and traces. */
  readonly name: string;
  readonly assignment: Assignment;
  readonly fold: PartitionFold;
  readonly window: IdWindow;
  readonly stored: StoredEvents;
  readonly versions: PartitionVersions;
  readonly erasures: PartitionErasures;
  readonly commits: CommitLine;
  /** Aborted when the state is discarded. */
  readonly ended: AbortSignal;
  /** Whether the log time of the id window is set. */
  primed: boolean;
  /** The last known end offset of the partition: the offset of the next record. */
  end: number;
  /** Log time, in milliseconds since 1970, up to which all records are stored. */
  handledUntil: number;
}
