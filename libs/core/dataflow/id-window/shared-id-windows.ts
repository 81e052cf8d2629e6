import { defaultHistoryLimits, type DuplicateFlagLimits } from './duplicate-flag-history.js';
import type { IdWindowBounds } from './id-window.js';
import { IdWindowReader } from './id-window-reader.js';
import { SharedIdWindow, type IdWindowReaderPosition } from './shared-id-window.js';

/** A task that begins to read a partition. */
export interface IdWindowRequest extends IdWindowReaderPosition {
  topic: string;
  partition: number;
  /** See `NewlyAssignedPartition.epochBefore` of the log. */
  epochBefore: (offset: number) => number;
  /** Whether the task adds ids of deleted records from the store, in its own window if the log does not suffice. */
  readsStore?: boolean;
}

/** A new window reads this part of `bounds.records` more than needed, for readers a little behind the first one. */
const marginParts = 16;

/**
 * The id windows of a process. Whether a record is a duplicate depends on the log alone, so tasks that read the same
 * partition share a window. A partition has further windows only while its tasks are far from each other: a task changes
 * to the window that is furthest ahead as soon as that window has the decision on the task's next record. A window
 * without tasks is freed. So is one that has read records that the log has lost since: the leader epochs tell.
 */
export class SharedIdWindows {
  /** The windows of each partition, the oldest first. */
  private readonly partitions = new Map<string, Set<SharedIdWindow>>();

  constructor(
    readonly bounds: IdWindowBounds,
    private readonly limits: DuplicateFlagLimits = defaultHistoryLimits,
  ) {}

  get size(): number {
    let size = 0;
    for (const windows of this.partitions.values()) size += windows.size;
    return size;
  }

  get bytes(): number {
    let bytes = 0;
    for (const windows of this.partitions.values()) for (const window of windows) bytes += window.bytes;
    return bytes;
  }

  /**
   * Opens the id window of a partition for one task, which must close it and reads the log from `start` without a gap.
   * Synchronous, so that no other task advances the window between the choice of `start` and the registration.
   */
  open(request: IdWindowRequest): IdWindowReader {
    const key = `${request.topic}/${request.partition}`;
    const windows = this.partitions.get(key) ?? new Set();
    this.partitions.set(key, windows);
    const isCut = request.readsStore === true && !isComplete(request, this.bounds);
    const { window, start } = nearest(windows, request, isCut) ?? this.create(request, isCut);
    windows.add(window);
    const closed = (): void => {
      if (windows.size === 0 && this.partitions.get(key) === windows) this.partitions.delete(key);
    };
    const { epochBefore } = request;
    return new IdWindowReader({ bounds: this.bounds, windows, window, start, closed, epochBefore });
  }

  private create(request: IdWindowRequest, isPrivate: boolean): { window: SharedIdWindow; start: number } {
    const { bounds, limits } = this;
    const { position, warmUpStart, beginning } = request;
    if (isPrivate) {
      // The ids from the store precede those of the log.
      const window = new SharedIdWindow({ bounds, limits, start: 0, validFrom: Infinity });
      return { window, start: warmUpStart };
    }
    const margin = Math.floor(bounds.records / marginParts);
    const start = Math.max(beginning, warmUpStart - margin);
    const validFrom = isComplete(request, bounds) ? position : start + bounds.records;
    return { window: new SharedIdWindow({ bounds, limits, start, validFrom }), start };
  }
}

/** Returns the window for which the reader has to read the fewest records; undefined if it can use none. */
function nearest(
  windows: Iterable<SharedIdWindow>,
  request: IdWindowRequest,
  isCut: boolean,
): { window: SharedIdWindow; start: number } | undefined {
  let found: { window: SharedIdWindow; start: number } | undefined;
  for (const window of windows) {
    const start = window.startFor(request, isCut);
    if (start !== undefined && start > (found?.start ?? -1)) found = { window, start };
  }
  return found;
}

/**
 * Returns whether a window that begins at `warmUpStart` lacks no id of a record that the log has deleted. The window's
 * limit of time is no proof, because deleted records can have later timestamps than the records that the log still has.
 */
function isComplete({ position, beginning }: IdWindowRequest, { records }: IdWindowBounds): boolean {
  return beginning === 0 || position - records >= beginning;
}
