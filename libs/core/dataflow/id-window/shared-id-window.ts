import { DuplicateFlagHistory, type DuplicateFlagLimits } from './duplicate-flag-history.js';
import { IdWindow, type IdWindowBounds } from './id-window.js';

/** The position of a reader, which decides whether a `SharedIdWindow` can serve it. */
export interface IdWindowReaderPosition {
  /** First offset whose decision the reader needs. */
  position: number;
  /** Offset from which an id window of the reader's own would read the log; see `warmUpStart` of the engine. */
  warmUpStart: number;
  /** First offset that the log still has. */
  beginning: number;
}

/**
 * Error of a task that cannot use its id window any longer: the decision on its next record is forgotten, or the window and
 * the task have read different records at the same offsets, because the log has lost some. The task's partition must be
 * assigned again; the task then gets an id window that serves its position.
 */
export class IdWindowLostError extends Error {
  override readonly name = 'IdWindowLostError';
}

interface SharedIdWindowOptions {
  bounds: IdWindowBounds;
  limits: DuplicateFlagLimits;
  /** Offset from which the window reads the log without a gap. */
  start: number;
  /** Offset from which each decision equals that of a reader of the whole log; Infinity for a private window. */
  validFrom: number;
}

/** The leader epoch of a record that is not known is negative. */
interface EpochStart {
  leaderEpoch: number;
  from: number;
}

/** Leader epochs of which a window keeps the starts: they change with the leader of the partition only. */
const mostEpochs = 16;

/**
 * An id window that tasks of one partition share: the one furthest ahead advances it, the others look up decisions.
 */
export class SharedIdWindow {
  /** Set if the log has lost records on which decisions depend. Nobody may use them any longer. */
  isLost = false;
  /** Offset at which a reader had a smaller epoch: if one still has after it was assigned the partition again, the window is wrong. */
  doubtedAt = -1;
  readonly readers = new Set<{ readonly next: number }>();
  private readonly ids: IdWindow;
  private readonly decisions: DuplicateFlagHistory;
  /** Maximum number of offsets that a reader may be behind the head when it begins to use the window. */
  private readonly mostBehind: number;
  private start: number;
  private validFrom: number;
  private epochs: EpochStart[] = [];
  /** Offset of the last record that the window has read; before its start without one. */
  last: number;

  constructor({ bounds, limits, start, validFrom }: SharedIdWindowOptions) {
    this.start = start;
    this.validFrom = validFrom;
    this.mostBehind = limits.most / 2;
    this.ids = new IdWindow(bounds);
    this.last = start - 1;
    this.decisions = new DuplicateFlagHistory(start, limits, () => this.slowest);
  }

  /** Whether the window has ids from the store, so that only its own reader may use it. */
  get isPrivate(): boolean {
    return this.validFrom === Infinity;
  }

  get bytes(): number {
    return this.ids.bytes + this.decisions.bytes;
  }

  /**
   * Returns the offset from which a reader must read to use this window; undefined if it cannot.
   * @param isCut Whether a window that begins at `warmUpStart` would lack ids of records that the log has deleted.
   */
  startFor({ position, warmUpStart, beginning }: IdWindowReaderPosition, isCut: boolean): number | undefined {
    const hasIds = position >= this.validFrom || (!isCut && warmUpStart >= this.start);
    if (this.isPrivate || !hasIds || !this.hasDecision(position)) return undefined;
    // The last record is read again, because its leader epoch tells whether the log still has it.
    const last = this.last < beginning ? this.last + 1 : this.last;
    const start = Math.min(position, Math.max(last, this.start));
    const isNear = start >= beginning && warmUpStart - start <= this.ids.bounds.records;
    return isNear ? start : undefined;
  }

  /**
   * Returns whether a reader of `other`, which has read all records below `next`, can go on with this window at
   * `offset`. Of two windows, the one further ahead stays, or the older one.
   */
  canReplace(
    other: SharedIdWindow,
    { isOlder, next, offset }: { isOlder: boolean; next: number; offset: number },
  ): boolean {
    const isAhead = this.last > other.last || (this.last === other.last && isOlder);
    // A window without records does not know its log time yet.
    const hasBegun = this.last >= this.start;
    const isReached = offset >= this.validFrom && this.hasDecision(offset) && next <= this.last + 1;
    return hasBegun && isReached && (other.isPrivate || isAhead);
  }

  /** Lets other readers use a private window whose decisions are valid from `offset` on. */
  publish(start: number, offset: number): void {
    this.start = start;
    this.validFrom = offset;
  }

  /** Returns the leader epoch of the record at this offset, which the window has read; negative if it is unknown. */
  epochAt(offset: number): number {
    // For each record and reader: `findLast` takes twice the time.
    for (let i = this.epochs.length - 1; i >= 0; i--)
      if (this.epochs[i]!.from <= offset) return this.epochs[i]!.leaderEpoch;
    return -1;
  }

  /** Takes the leader epoch of the next record that the window reads. */
  enterEpoch(leaderEpoch: number, offset: number): void {
    if (this.epochs.at(-1)?.leaderEpoch === leaderEpoch) return;
    this.epochs = [...this.epochs, { leaderEpoch, from: offset }].slice(-mostEpochs);
  }

  startAt(logTime: number): void {
    this.ids.startAt(logTime);
  }

  repeatsWords(id: Uint32Array, offset: number, timestamp: number): boolean {
    if (offset <= this.last) return this.decisionAt(offset);
    const isDuplicate = this.ids.repeatsWords(id, offset, timestamp);
    this.advance(offset, isDuplicate);
    return isDuplicate;
  }

  pass(offset: number, timestamp: number): void {
    if (offset <= this.last) return void this.decisionAt(offset);
    this.ids.pass(offset, timestamp);
    this.advance(offset, false);
  }

  /** Returns whether the decision on the record is not forgotten, and will not be forgotten soon. */
  private hasDecision(offset: number): boolean {
    return offset >= this.decisions.first && this.last - offset <= this.mostBehind;
  }

  private advance(offset: number, isDuplicate: boolean): void {
    this.last = offset;
    this.decisions.add(offset, isDuplicate);
  }

  private decisionAt(offset: number): boolean {
    const decision = this.decisions.at(offset);
    if (decision === undefined) throw new IdWindowLostError(`The decision on record ${offset} is forgotten.`);
    return decision;
  }

  private get slowest(): number {
    let slowest = Infinity;
    for (const { next } of this.readers) slowest = Math.min(slowest, next);
    return slowest;
  }
}
