/**
 * A task of the store garbage collection that removes rows. Running the task twice has the same effect as running it
 * once.
 */
export interface RemovalTask {
  reason: 'time' | 'bytes' | 'erased' | 'deleted' | 'late' | 'verdicts' | 'purge';
  stream: string;
  /** Runs the task, and resolves with the number of removed events. */
  run: () => Promise<number>;
}
