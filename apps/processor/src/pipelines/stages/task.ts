import type { Micros } from '#event';
import type { RecordBatch } from '#log';
import type { DeadLetter } from '#store';
import type { Counts } from '../output/counts.js';
import type { CurrentJob } from './current-job.js';
import type { WatermarkBroadcast } from '../output/watermark-broadcast.js';
import type { Sink } from '../output/sink.js';
import type { PartitionState } from '../state/partition-state.js';
import type { ProjectionTables } from '../lookups/projection-tables.js';

/** What every task needs. */
export interface TaskParts {
  state: PartitionState;
  /** Asked for each batch: a change of the definition counts from the next one on. */
  readonly current: () => CurrentJob;
  sink: Sink;
  /** Repeats until it has found them. */
  readonly load: ProjectionTables['load'];
  /** Stores them now; repeats until it has. */
  readonly saveDeadLetters: (letters: readonly DeadLetter[]) => Promise<void>;
  /** Waits until a batch may be computed; what it resolves with ends that. */
  readonly permit: () => Promise<() => void>;
  controls: WatermarkBroadcast;
  readonly now: () => Micros;
}

/** What a batch came to. */
export interface Taken {
  counts: Readonly<Counts>;
  duplicates: number;
  /** There is something to save besides the position. */
  changed: boolean;
}

/** Works through one partition, from its assignment to its revocation. */
export interface Task {
  readonly state: PartitionState;
  /** Rejects when the partition is ended meanwhile. @throws FencedError */
  take(batch: RecordBatch): Promise<Taken>;
  /** Tells the stages that it feeds how far it is, if it is time to. Never rejects. */
  tell(): Promise<void>;
  close(): void;
}
