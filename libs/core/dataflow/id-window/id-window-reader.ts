import type { IdWindowBounds } from './id-window.js';
import { IdWindowLostError, type SharedIdWindow } from './shared-id-window.js';

interface IdWindowReaderOptions {
  bounds: IdWindowBounds;
  /** All windows of the partition, the oldest first. */
  windows: Set<SharedIdWindow>;
  window: SharedIdWindow;
  start: number;
  closed: () => void;
  /** Returns the leader epoch of the record before an offset, which the task has read; negative if it is unknown. */
  epochBefore: (offset: number) => number;
}

/**
 * The id window of a partition as one task uses it. The task passes all records from `start` on, in the order of their
 * offsets, and may pass records again.
 */
export class IdWindowReader {
  readonly start: number;
  /** Offset below which the task has read all records. */
  next: number;
  private readonly windows: Set<SharedIdWindow>;
  private window: SharedIdWindow;
  private isClosed = false;
  /** First offset whose ids come from the log and not from the store. */
  private logFrom: number;
  /** Offset up to which the window has read the same records as the task. */
  private agreed = -1;
  private logTime: number | undefined;

  constructor(private readonly options: IdWindowReaderOptions) {
    const { start, windows, window } = options;
    this.start = start;
    this.next = start;
    this.logFrom = start;
    this.windows = windows;
    this.window = window;
    window.readers.add(this);
  }

  get bounds(): IdWindowBounds {
    return this.options.bounds;
  }

  /** Whether the task adds ids of deleted records from the store; until they no longer matter, it shares no window. */
  get isPrivate(): boolean {
    return this.window.isPrivate;
  }

  /** Takes effect once the epochs of the first record are compared. */
  startAt(logTime: number): void {
    this.logTime = logTime;
  }

  /**
   * Tells that the next records below `beginning` come from the store.
   * @throws IdWindowLostError if other tasks may use the window: their decisions must depend on the log alone
   */
  readsStoreBelow(beginning: number): void {
    if (!this.isPrivate) throw new IdWindowLostError('The log has deleted records that were not read yet.');
    this.logFrom = Math.max(this.logFrom, beginning);
  }

  /**
   * Like `IdWindow.repeatsWords`. @throws IdWindowLostError if the decision on the record is forgotten, or if the window or the
   * task has read records that the log has lost since
   */
  repeatsWords(id: Uint32Array, offset: number, timestamp: number): boolean {
    return this.windowAt(offset).repeatsWords(id, offset, timestamp);
  }

  /** Passes a record whose id cannot be read, like `IdWindow.pass`. @throws IdWindowLostError like `repeatsWords` */
  pass(offset: number, timestamp: number): void {
    this.windowAt(offset).pass(offset, timestamp);
  }

  /** Leaves the window, which is freed if no other task uses it. */
  close(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.leave();
    this.options.closed();
  }

  /** Returns the window that decides on the record at this offset, which is the task's next one. */
  private windowAt(offset: number): SharedIdWindow {
    if (this.isClosed) throw new IdWindowLostError('The task is closed.');
    if (offset >= this.logFrom) this.share(offset);
    if (offset > this.agreed && offset >= this.logFrom) this.requireSameLog(offset);
    if (this.window.isLost)
      throw new IdWindowLostError('Another task has found that the log has lost records.');
    if (this.logTime !== undefined) this.window.startAt(this.logTime);
    this.logTime = undefined;
    this.next = Math.max(this.next, offset + 1);
    return this.window;
  }

  /**
   * Compares the leader epochs of the records that the window and this task have read: two logs in which the record at an offset
   * has the same leader epoch are the same up to it. The greater epoch is that of the log as it is now. Source: KIP-101, KIP-320.
   */
  private requireSameLog(offset: number): void {
    const { window, agreed } = this;
    const { epochBefore } = this.options;
    const at = Math.min(offset, window.last);
    const isOfLog = !window.isPrivate || at >= this.logFrom;
    const [own, others] = at > agreed && isOfLog ? [epochBefore(at + 1), window.epochAt(at)] : [-1, -1];
    if (own >= 0 && others >= 0 && own !== others) {
      window.isLost ||= own > others || window.doubtedAt === at;
      window.doubtedAt = at;
      if (window.isLost) this.windows.delete(window);
      throw new IdWindowLostError(`The log has lost records up to ${at} since they were read.`);
    }
    if (offset > window.last) window.enterEpoch(epochBefore(offset + 1), offset);
    this.agreed = offset;
  }

  private share(offset: number): void {
    if (this.windows.size > 1) this.change(offset);
    if (this.isPrivate && offset >= this.logFrom + this.bounds.records)
      this.window.publish(this.logFrom, offset);
  }

  private change(offset: number): void {
    let isOlder = true;
    for (const other of this.windows) {
      if (other === this.window) isOlder = false;
      else if (other.canReplace(this.window, { isOlder, next: this.next, offset }))
        return this.changeTo(other);
    }
  }

  private changeTo(window: SharedIdWindow): void {
    this.leave();
    this.window = window;
    this.agreed = -1;
    window.readers.add(this);
  }

  private leave(): void {
    this.window.readers.delete(this);
    if (this.window.readers.size === 0) this.windows.delete(this.window);
  }
}
