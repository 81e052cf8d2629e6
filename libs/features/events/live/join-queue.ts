import { MemoryBudget } from '#dataflow';
import type { LivePosition } from './live-position.js';
import type {
  LiveMessages,
  LiveMessagesListener,
  SameFilterLiveStreams,
} from './same-filter-live-streams.js';

interface QueuedMessages extends LiveMessages {
  /** Position of the group after these messages. */
  after: LivePosition;
  /** Bytes of the messages and the position. */
  length: number;
}

/** Approximate bytes of a position for each of its partitions. */
const offsetBytes = 20;

/** Limits of the messages that wait in one queue, and in all queues of a process. */
const queueBytes = 8 * 1024 * 1024;
/** The memory that all queues of a process share. */
export const joinQueueBudget = new MemoryBudget(64 * 1024 * 1024);

/**
 * Keeps what a group delivers while a live stream reads older events from the store, in which the newest events arrive later
 * than in the group. So the live stream can join the group without a gap.
 */
export class JoinQueue implements LiveMessagesListener {
  /** Position of the group when the queue began. The queue has all messages after it. */
  readonly start: LivePosition;
  /** Whether messages are missing, because the limit was reached: the queue is of no use any more. */
  isOverfull = false;
  failure: Error | undefined;
  private readonly queued: QueuedMessages[] = [];
  private bytes = 0;

  constructor(
    private readonly group: SameFilterLiveStreams,
    cursor: LivePosition,
    private readonly budget: MemoryBudget = joinQueueBudget,
  ) {
    this.start = cursor.copy();
    group.listeners.add(this);
  }

  take(messages: LiveMessages): void {
    const after = this.group.cursor!.copy();
    const length = messages.bytes.length + after.partitions * offsetBytes;
    if (this.bytes + length > queueBytes || !this.budget.take(length)) {
      this.isOverfull = true;
      return this.close();
    }
    this.bytes += length;
    this.queued.push({ ...messages, after, length });
  }

  fail(error: Error): void {
    this.failure = error;
    this.close();
  }

  /** Returns the oldest messages, which are no longer in the queue; undefined if the queue is empty. */
  shift(): QueuedMessages | undefined {
    const first = this.queued.shift();
    if (first) this.release(first.length);
    return first;
  }

  /** Receives no further messages, and frees the queued ones. */
  close(): void {
    this.group.listeners.delete(this);
    this.queued.length = 0;
    this.release(this.bytes);
  }

  private release(bytes: number): void {
    this.bytes -= bytes;
    this.budget.release(bytes);
  }
}
