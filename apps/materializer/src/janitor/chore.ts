/** One thing to be removed; it can be done again and again. */
export interface Chore {
  reason: 'time' | 'bytes' | 'erased' | 'deleted' | 'late' | 'purge';
  stream: string;
  /** Resolves with the number of events that were removed. */
  run: () => Promise<number>;
}
