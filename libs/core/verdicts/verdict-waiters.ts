import type { TopicPartition } from '#kafka';
import type { Verdict, OffsetRangeVerdicts } from './offset-range-verdicts.js';
import type { VerdictTable } from './verdict-table.js';

/** Maximum number of verdicts that are kept for writers whose append has not resolved yet. */
const keptVerdicts = 50_000;

/** Passes verdicts to the writers that wait for them; keeps recent ones, as a writer may not know its offset yet. */
export class VerdictWaiters {
  private readonly waiting = new Map<string, (verdict: Verdict) => void>();
  /** The newest verdicts without a waiter, and those before them: the oldest half is removed at once. */
  private kept = new Map<string, Verdict>();
  private keptBefore = new Map<string, Verdict>();
  private writes = 0;

  constructor(table: Pick<VerdictTable, 'listen'>) {
    table.listen({ added: (record) => this.added(record) });
  }

  /** Begins a write, for which new verdicts are kept until the caller, who then waits for them, calls the result. */
  begin(): () => void {
    this.writes++;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      if (--this.writes > 0) return;
      this.kept.clear();
      this.keptBefore.clear();
    };
  }

  /**
   * Resolves with the verdict on a record that was appended after `begin`; undefined if it is not read within `ms`
   * milliseconds.
   */
  of(position: TopicPartition & { offset: number }, ms: number): Promise<Verdict | undefined> {
    const key = keyOf(position, position.offset);
    const known = this.kept.get(key) ?? this.keptBefore.get(key);
    if (known) return Promise.resolve(known);
    return new Promise((resolve) => {
      const settle = (verdict?: Verdict): void => {
        clearTimeout(timer);
        this.waiting.delete(key);
        resolve(verdict);
      };
      const timer = setTimeout(settle, ms);
      this.waiting.set(key, settle);
    });
  }

  private added(record: OffsetRangeVerdicts): void {
    if (this.writes === 0) return;
    for (const verdict of record.verdicts) {
      const key = keyOf(record, verdict.offset);
      const settle = this.waiting.get(key);
      if (settle) settle(verdict);
      else this.keep(key, verdict);
    }
  }

  private keep(key: string, verdict: Verdict): void {
    this.kept.set(key, verdict);
    if (this.kept.size < keptVerdicts / 2) return;
    this.keptBefore = this.kept;
    this.kept = new Map();
  }
}

function keyOf({ topic, partition }: TopicPartition, offset: number): string {
  return `${topic}/${partition}/${offset}`;
}
