import type { ConsumerRecord } from '#kafka';
import {
  readSubscriptionRecord,
  type SnapshotCommand,
  type SubscriptionCommand,
} from '../state/subscription-command.js';
import { SubscriptionState, type CommandOutcome, type CommandPosition } from '../state/subscription-state.js';

/** Is told of the commands that a table reads once it is complete. */
export interface SubscriptionTableListener {
  /** A command has changed the state of this run of a subscription. */
  applied(run: string, command: SubscriptionCommand, outcome: CommandOutcome): void;
  /** Records are missing between two that were read: the table is incomplete, and must be read again. */
  incomplete(): void;
}

const forgetMs = 600_000;

/** The records of one run that were read before the table was complete. */
interface UnappliedRecords {
  commands: { command: SubscriptionCommand; position: CommandPosition }[];
  /** The chunks of each snapshot that have been read, by the id of the snapshot. */
  snapshots: Map<string, SnapshotChunks>;
}

interface SnapshotChunks {
  /** Offset of the first chunk that was read. */
  offset: number;
  chunks: SnapshotCommand[];
}

/**
 * The states of all subscriptions, computed from the records of the topic `subscriptions`. The topic begins with the records
 * that snapshots do not make superfluous: see `SubscriptionLog`. While the existing records are read, nothing is applied; then
 * each state begins with its latest snapshot, and the commands after it follow.
 */
export class SubscriptionTable {
  private readonly states = new Map<string, SubscriptionState>();
  private unapplied: Map<string, UnappliedRecords> | undefined = new Map();
  /** Offset of the first record that was read: the log has all records from here on. */
  private first = -1;
  /** Whether the topic has the end of snapshots that cover all records before its first one. */
  private isCovered = false;
  private isIncomplete = false;
  /** When a run with a state was first found without a definition, in milliseconds of `performance.now()`. */
  private readonly unknownSince = new Map<string, number>();
  /** Offset of the last record that was read; -1 before the first. */
  upTo = -1;
  /** Bytes of the records that were read since the last snapshots of another process or of this one began. */
  bytesSinceSnapshot = 0;

  constructor(private readonly listener: SubscriptionTableListener) {}

  /** Returns the state of a run, which is empty before its first command. */
  of(run: string): SubscriptionState {
    const known = this.states.get(run) ?? new SubscriptionState();
    this.states.set(run, known);
    return known;
  }

  /** Forgets the states of runs that have been unknown for a while. One that is new may be known a moment later. */
  forgetUnknown(known: ReadonlySet<string>): void {
    for (const run of this.unknownSince.keys()) if (known.has(run)) this.unknownSince.delete(run);
    for (const run of this.states.keys()) {
      if (known.has(run)) continue;
      const since = this.unknownSince.get(run) ?? performance.now();
      this.unknownSince.set(run, since);
      if (performance.now() - since < forgetMs) continue;
      this.states.delete(run);
      this.unknownSince.delete(run);
    }
  }

  /** Yields the runs that have a state. */
  runs(): Iterable<[string, SubscriptionState]> {
    return this.states;
  }

  read({ key, value, offset, timestamp }: ConsumerRecord): void {
    if (this.isIncomplete) return;
    if (offset !== this.upTo + 1 && !(this.unapplied && this.first < 0)) {
      if (!this.unapplied) {
        this.isIncomplete = true;
        return this.listener.incomplete();
      }
      this.unapplied.clear();
      this.first = -1;
      this.isCovered = false;
    }
    if (this.first < 0) this.first = offset;
    this.upTo = offset;
    this.bytesSinceSnapshot += value?.length ?? 0;
    const record = value && readSubscriptionRecord(value);
    if (!key || !record) return;
    if (record.type === 'snapshots') {
      this.isCovered ||= record.upTo >= this.first - 1 && record.upTo < offset;
      this.bytesSinceSnapshot = 0;
    } else this.take(key.toString(), record, { offset, timestamp });
  }

  /**
   * Whether the records that have been read give the states: the topic begins with the first record that was ever written, or has
   * snapshots of all states at its first record.
   */
  get isWhole(): boolean {
    return this.first <= 0 || this.isCovered;
  }

  /**
   * Computes the states from the records that have been read. Further records change them at once.
   * @param next offset of the next record
   */
  complete(next: number): void {
    const { unapplied } = this;
    this.unapplied = undefined;
    this.upTo = next - 1;
    for (const [run, { commands, snapshots }] of unapplied ?? []) {
      const latest = latestSnapshot(snapshots.values(), this.first);
      const state = this.of(run);
      if (latest) state.restore(latest);
      const from = latest?.[0]?.upTo ?? -1;
      for (const { command, position } of commands)
        if (position.offset > from) state.apply(command, position);
    }
  }

  private take(run: string, record: SubscriptionCommand | SnapshotCommand, position: CommandPosition): void {
    if (!this.unapplied) {
      // This table has all that a snapshot has.
      if (record.type !== 'snapshot')
        this.listener.applied(run, record, this.of(run).apply(record, position));
      return;
    }
    const own: UnappliedRecords = this.unapplied.get(run) ?? { commands: [], snapshots: new Map() };
    this.unapplied.set(run, own);
    if (record.type !== 'snapshot') own.commands.push({ command: record, position });
    else {
      const known = own.snapshots.get(record.id) ?? { offset: position.offset, chunks: [] };
      known.chunks.push(record);
      own.snapshots.set(record.id, known);
    }
  }
}

/**
 * Returns the chunks of the latest complete snapshot. A snapshot that ends before the first record is not used: a process that was
 * frozen has written it late, and commands after it are no longer in the log. Neither is one that ends behind itself: the process
 * has read records that the log has lost.
 */
function latestSnapshot(
  snapshots: Iterable<SnapshotChunks>,
  first: number,
): readonly SnapshotCommand[] | undefined {
  let latest: readonly SnapshotCommand[] | undefined;
  for (const { offset, chunks } of snapshots) {
    const [{ upTo, chunks: count } = { upTo: -1, chunks: 0 }] = chunks;
    const isComplete = new Set(chunks.map(({ chunk }) => chunk)).size === count;
    const isUsable = upTo >= first - 1 && upTo < offset;
    if (isComplete && isUsable && upTo > (latest?.[0]?.upTo ?? -1)) latest = chunks;
  }
  return latest;
}
