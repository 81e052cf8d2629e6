/** A removal task of the store garbage collection. It is idempotent. */
export interface RemovalTask {
  reason: 'time' | 'bytes' | 'erased' | 'deleted' | 'late' | 'verdicts' | 'purge';
  stream: string;
  /** Runs the task, and resolves with the number of removed events. */
  run: () => Promise<number>;
}
