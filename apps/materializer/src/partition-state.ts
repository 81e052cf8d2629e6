import type { CommitLine, FollowedPartition, PartitionErasures } from '#engine';
import type { StreamId } from '#event';
import type { Assignment } from '#log';
import type { IdWindow } from '#dataflow';
import type { PartitionFold } from './partition-fold.js';
import type { StoredEvents } from './stored-events.js';
import type { PartitionVersions } from './version-cache.js';

/** One assignment of one partition: a partition that is assigned again gets a new one. */
export interface PartitionState extends FollowedPartition {
  readonly topic: string;
  readonly partition: number;
  /** Its id. */
  readonly stream: StreamId;
  /** The stream's name: what metrics and traces show. */
  readonly name: string;
  readonly assignment: Assignment;
  readonly fold: PartitionFold;
  readonly window: IdWindow;
  readonly stored: StoredEvents;
  readonly versions: PartitionVersions;
  readonly erasures: PartitionErasures;
  readonly commits: CommitLine;
  /** Aborted when the partition is revoked, or when everything stops at once. */
  readonly ended: AbortSignal;
  /** The id window knows its log time. */
  primed: boolean;
  /** The offset that the next record of the partition will get, as far as is known. */
  end: number;
  /** Everything of the partition up to here (milliseconds since 1970, by the log) has been handled. */
  handledUntil: number;
}
