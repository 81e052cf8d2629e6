import { CommitLine, type KnownErasures, PartitionErasures, type Retry, warmUpStart } from '#engine';
import { partitionKey, type Assignment, type Consumer } from '#log';
import { IdWindow, type IdWindowBounds } from '#dataflow';
import type { Logger } from '#telemetry';
import { streamName, type StreamId, type TopicNames } from '#event';
import { PartitionFold } from './partition-fold.js';
import type { PartitionState } from './partition-state.js';
import type { RowWriter } from './row-writer.js';
import { StoredEvents } from './stored-events.js';
import type { VersionCache } from './version-cache.js';

/** A member that was thrown out of its group is back within a few seconds. */
const keepMs = 15_000;

export interface AssignmentsOptions {
  topics: TopicNames;
  writer: RowWriter;
  consumer(): Consumer;
  retry: Retry;
  logger: Logger;
  versions: VersionCache;
  erasures: KnownErasures;
  window: IdWindowBounds;
  /** Milliseconds since 1970. */
  now: () => number;
  /** The partition is gone for good: nothing of it need be stored any more. */
  dropped(state: PartitionState): void;
  /** Milliseconds that a revoked partition is kept for the case that it comes back. */
  keepMs?: number;
}

/** What has to be asked before a partition can be read. */
interface Prepared {
  stream: StreamId;
  /** The greatest stored offset, or -1. */
  last: number;
  start: number;
  /** Timestamp of the first record that is not committed. */
  oldest: number | undefined;
}

interface Held {
  readonly topic: string;
  end: AbortController;
  state?: PartitionState;
  /** Set while the partition is revoked and kept. */
  expiry?: NodeJS.Timeout;
}

/**
 * The partitions that this process has been given, each from its assignment to its revocation.
 *
 * A member that was thrown out of its group loses all partitions, and is mostly given them back. What is known of a
 * partition follows from the log alone, so it is kept for a while and goes on where it was, without reading the id window
 * again.
 */
export class Assignments {
  private readonly held = new Map<string, Held>();

  constructor(private readonly options: AssignmentsOptions) {}

  /** Those that are ours and ready. */
  *[Symbol.iterator](): Iterator<PartitionState> {
    for (const { state, expiry } of this.held.values()) if (state && !expiry) yield state;
  }

  get(topic: string, partition: number): PartitionState | undefined {
    return this.held.get(partitionKey({ topic, partition }))?.state;
  }

  /**
   * Makes a partition ready: what the store has past the committed position, and where to start so that the id window
   * is warm. Waits for engines that cannot be reached. Resolves with the offset to read from.
   */
  async add(assignment: Assignment): Promise<number> {
    const key = partitionKey(assignment);
    if (await this.goesOn(key, assignment)) return assignment.position;
    this.drop(key);
    const held: Held = { topic: assignment.topic, end: new AbortController() };
    this.held.set(key, held);
    try {
      const known = await this.prepare(assignment, held.end.signal);
      held.end.signal.throwIfAborted();
      held.state = this.open(assignment, { ...known, ended: held.end.signal });
      return known.start;
    } catch (error) {
      if (held.end.signal.aborted) return assignment.position;
      throw error;
    }
  }

  /** The partition is no longer ours. */
  revoke(place: { topic: string; partition: number }): void {
    const key = partitionKey(place);
    const held = this.held.get(key);
    if (!held?.state) return this.drop(key);
    clearTimeout(held.expiry);
    held.expiry = setTimeout(() => this.drop(key), this.options.keepMs ?? keepMs).unref();
  }

  /** Drops the partitions of other topics, which are gone for good. Returns the names of their streams. */
  keepOnly(topics: ReadonlySet<string>): Set<string> {
    const gone = [...this.held].filter(([, { topic }]) => !topics.has(topic));
    for (const [key] of gone) this.drop(key);
    return new Set(gone.flatMap(([, { state }]) => (state ? [state.name] : [])));
  }

  /** Ends all of them, for good. */
  clear(): void {
    for (const key of [...this.held.keys()]) this.drop(key);
  }

  /** Whether a partition that was revoked goes on where it was. */
  private async goesOn(key: string, assignment: Assignment): Promise<boolean> {
    const held = this.held.get(key);
    if (!held?.state) return false;
    const { expiry, state } = held;
    if (!(await this.isUnchanged(state, assignment)) || this.held.get(key) !== held) return false;
    state.commits.stands(assignment.position);
    // Revoked once more meanwhile: it stays kept.
    if (held.expiry !== expiry) return true;
    clearTimeout(expiry);
    held.expiry = undefined;
    return true;
  }

  /**
   * Nobody has been further, nothing was set back, and the topic was not made anew: where not all that was read is
   * committed, the record at the position is still the one that was read there.
   */
  private async isUnchanged(
    { commits, fold, ended }: PartitionState,
    assignment: Assignment,
  ): Promise<boolean> {
    const { position } = assignment;
    if (position < commits.committed || position > fold.next) return false;
    if (position === fold.next) return true;
    try {
      const timestamp = await this.options.retry.run('log', ended, () => assignment.timestampAtPosition());
      return timestamp !== undefined && fold.beganAt(position, timestamp);
    } catch (error) {
      if (ended.aborted) return false;
      throw error;
    }
  }

  private drop(key: string): void {
    const held = this.held.get(key);
    if (!held) return;
    this.held.delete(key);
    clearTimeout(held.expiry);
    held.end.abort();
    if (!held.state) return;
    this.options.versions.release(held.state.versions);
    this.options.dropped(held.state);
  }

  private async prepare(assignment: Assignment, ended: AbortSignal): Promise<Prepared> {
    const { writer, retry, topics, window } = this.options;
    const stream = topics.streamOf(assignment.topic);
    if (!stream) throw new RangeError(`${assignment.topic} is no stream's topic`);
    const last = await retry.run('store', ended, () => writer.lastStored(stream, assignment.partition));
    const [start, oldest] = await retry.run('log', ended, async () => [
      await warmUpStart(assignment, window, this.options.now()),
      await assignment.timestampAtPosition(),
    ]);
    return { stream, last: last ?? -1, start, oldest };
  }

  private open(assignment: Assignment, known: Prepared & { ended: AbortSignal }): PartitionState {
    const { writer, logger } = this.options;
    const { topic, partition, position } = assignment;
    const { stream, last, ended } = known;
    const versions = this.options.versions.open({ fromTheStart: position === 0 });
    versions.storedUpTo = position;
    const window = new IdWindow(this.options.window);
    const erasures = new PartitionErasures(this.options.erasures, { stream, partition });
    const others = (offset: number): void =>
      logger.warn(
        { stream, topic, partition, offset },
        'the store holds other events at these offsets: was the topic made anew? The new ones are stored beside them',
      );
    return {
      ...{
        topic,
        partition,
        stream,
        name: streamName(stream),
        assignment,
        window,
        versions,
        erasures,
        ended,
      },
      stored: new StoredEvents({ writer, stream, partition, last, others }),
      fold: new PartitionFold({ stream, partition, position, window, versions, erasures }),
      commits: new CommitLine(position, (next) =>
        this.options.retry.run('log', ended, () => this.options.consumer().commit(topic, partition, next)),
      ),
      primed: false,
      end: position,
      handledUntil: known.oldest ?? this.options.now(),
    };
  }
}
