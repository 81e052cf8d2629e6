import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from '#api';
import {
  LogOrderPageReader,
  StoreUnavailableError,
  type EventReader,
  type OffsetRange,
  type LogOrderPageWithRanges,
} from '#store';
import type { Bulkhead } from '#gateway-kit';
import { OutageTracker } from '#async';
import type { Logger } from '#telemetry';
import { LiveEvent } from './live-filter.js';
import type { SameFilterLiveStreams, LiveMessagesListener } from './same-filter-live-streams.js';
import type { LivePosition, CatchUpRange } from './live-position.js';
import { ResumeIdSpacer } from './resume-id-spacer.js';
import { JoinQueue } from './join-queue.js';
import type { LiveEventsFollower } from './live-events-follower.js';
import { eventMessage, positionMessage, type ServerSentEventWriter } from './server-sent-event-writer.js';
import { liveEvents } from './live-connections.js';

/** Dependencies and retry times of one live stream of events. */
interface LiveEventStreamOptions {
  group: SameFilterLiveStreams;
  follower: Pick<LiveEventsFollower, 'nextRound' | 'streamOf' | 'stored'>;
  reader: Pick<EventReader, 'inLogOrder'>;
  /** Limits the store reads of streams that are catching up. */
  bulkhead: Pick<Bulkhead, 'run'>;
  /** The store outage that all event streams share. */
  outage: StoreOutageTracker;
  /** Milliseconds until the store is read again after a failure. */
  retryMs?: number;
  /** Milliseconds after which a stream of the client's position that this process does not know counts as deleted. */
  unknownMs?: number;
}

type KeyedOffsetRange = OffsetRange & { key: string };
type Socket = Pick<ServerSentEventWriter, 'isFull' | 'write' | 'room'>;

const page = { events: 500, bytes: 256 * 1024 };
/** Characters that are written at a time. */
const pieceCharacters = 64 * 1024;

/**
 * One open live stream of events. At first, the stream reads the events between its own position and the cursor of its
 * group from the store. When the live stream has reached the cursor, it receives the events of the group, until its
 * client falls behind. In both phases, an event is written exactly when the position moves past it, so the change from
 * one phase to the other causes neither a gap nor a repeated event.
 */
export class LiveEventStream {
  private readonly pages: LogOrderPageReader;
  private readonly options: Required<LiveEventStreamOptions>;
  /** Decides which of the events read from the store are sent with an id. The group decides it for live events. */
  private ids = new ResumeIdSpacer();
  private readonly opened = performance.now();
  private isLive = false;

  constructor(
    private own: LivePosition,
    options: LiveEventStreamOptions,
  ) {
    this.options = { retryMs: 1000, unknownMs: 5000, ...options };
    this.pages = new LogOrderPageReader({ reader: options.reader, ...page });
  }

  /** Starts at the cursor of the group instead. Called right before `run`, so that no event comes between. */
  startNow(): void {
    this.own = this.cursor.copy();
  }

  /** The client has received, or is about to receive, everything before this position. */
  get position(): LivePosition {
    return this.isLive ? this.cursor : this.own;
  }

  /**
   * Sends events until something ends the stream.
   * @throws the signal's reason, a ProblemError for a client that is too slow, and permanent errors of the store
   */
  async run(socket: Socket, signal: AbortSignal): Promise<never> {
    try {
      signal.throwIfAborted();
      for (;;) {
        const missing = this.own.missingTo(this.cursor);
        if (missing.length > 0) await this.approach(missing, socket, signal);
        else if (this.own.missingFrom(this.cursor)) await this.wait(signal);
        else await this.live(socket, signal);
        await socket.room(signal);
      }
    } finally {
      this.options.outage.gaveUp(this);
    }
  }

  private get cursor(): LivePosition {
    const { cursor } = this.options.group;
    if (!cursor) throw new Error('The group does not follow the log yet');
    return cursor;
  }

  /** Reads what the store has of the missing ranges. Once it has no more of them, waits for the rest, and joins the group. */
  private async approach(
    missing: readonly CatchUpRange[],
    socket: Socket,
    signal: AbortSignal,
  ): Promise<void> {
    const { follower, group } = this.options;
    const stored = await follower.stored(missing);
    if (stored.length > 0) return await this.catchUp(stored, socket, signal);
    if (this.own.missingFrom(this.cursor)) return await this.wait(signal);
    const queue = new JoinQueue(group, this.cursor);
    try {
      await this.catchUpTo(queue, socket, signal);
      await this.joinAfter(queue, socket, signal);
    } finally {
      queue.close();
    }
  }

  /** Reads from the store until the position has reached the start of the queue, or the queue is of no use. */
  private async catchUpTo(queue: JoinQueue, socket: Socket, signal: AbortSignal): Promise<void> {
    const { follower } = this.options;
    while (!queue.isOverfull) {
      const all = this.own.missingTo(queue.start);
      const missing = all.filter(({ key }) => follower.streamOf(key) !== undefined);
      if (missing.length === 0) return;
      const stored = await follower.stored(missing);
      if (stored.length > 0) await this.catchUp(stored, socket, signal);
      else await follower.nextRound(signal);
      await socket.room(signal);
      if (queue.failure) throw queue.failure;
    }
  }

  /** Writes what waits in the queue, and then receives the group's events, unless the queue is of no use. */
  private async joinAfter(queue: JoinQueue, socket: Socket, signal: AbortSignal): Promise<void> {
    for (let messages = queue.shift(); messages; messages = queue.shift()) {
      this.own = messages.after;
      socket.write(messages.bytes);
      liveEvents.inc(messages.events);
      await socket.room(signal);
    }
    if (queue.failure) throw queue.failure;
    if (queue.isOverfull) return;
    // Nothing is awaited between the empty queue and the registration as a listener, so no event is lost.
    queue.close();
    this.own = this.cursor.copy();
    await this.live(socket, signal);
  }

  private async catchUp(
    missing: readonly CatchUpRange[],
    socket: Socket,
    signal: AbortSignal,
  ): Promise<void> {
    const { bulkhead, follower, group, outage, retryMs } = this.options;
    const ranges = missing.flatMap((range): KeyedOffsetRange[] => {
      const stream = follower.streamOf(range.key);
      return stream === undefined ? [] : [{ ...range, stream }];
    });
    if (ranges.length === 0) return await this.wait(signal);
    const { streams: _, ...filter } = group.filter.question;
    let read: LogOrderPageWithRanges;
    try {
      read = await bulkhead.run(signal, () => this.pages.read(filter, ranges, signal));
      outage.succeeded(this);
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error)) throw error;
      outage.failed(this, error);
      return await sleep(retryMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
    const keys = new Map(ranges.map(({ stream, key }) => [stream, key]));
    await this.write({ ...read, keys }, socket, signal);
  }

  private async write(
    { events, reached, keys }: LogOrderPageWithRanges & { keys: ReadonlyMap<string, string> },
    socket: Socket,
    signal: AbortSignal,
  ): Promise<void> {
    const { follower } = this.options;
    let piece = '';
    for (const event of events) {
      const key = keys.get(event.stream) ?? '';
      // The stream was deleted during the read.
      if (follower.streamOf(key) === undefined) continue;
      this.own.set(key, event.partition, event.offset + 1);
      const json = new LiveEvent(event).json(this.options.group.format);
      const id = this.ids.idOf(json.length, () => this.own.toString());
      piece += eventMessage(json, id);
      if (piece.length < pieceCharacters) continue;
      socket.write(piece);
      piece = '';
      await socket.room(signal);
    }
    for (const { stream, partition, next } of reached) this.own.set(keys.get(stream) ?? '', partition, next);
    if (piece !== '') socket.write(piece);
    liveEvents.inc(events.length);
  }

  /**
   * Waits while the client's position is ahead of what this process has delivered: another gateway process had
   * delivered more, or a stream that the position names has been deleted.
   */
  private async wait(signal: AbortSignal): Promise<void> {
    const { follower, unknownMs } = this.options;
    await follower.nextRound(signal);
    if (performance.now() - this.opened < unknownMs) return;
    this.own.keepOnly((key) => follower.streamOf(key) !== undefined);
  }

  /**
   * Receives the group's events. Resolves when the client has fallen behind: its unsent bytes are limited, and later
   * events are read from the store.
   */
  private async live(socket: Socket, signal: AbortSignal): Promise<void> {
    const { group } = this.options;
    if (this.ids.areDue) socket.write(positionMessage(this.own.toString()));
    this.isLive = true;
    let listener: LiveMessagesListener | undefined;
    let stop: () => void = () => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        stop = () => reject(signal.reason as Error);
        signal.addEventListener('abort', stop, { once: true });
        listener = {
          take: ({ bytes, events }) => {
            socket.write(bytes);
            liveEvents.inc(events);
            if (!socket.isFull) return;
            this.leave(listener);
            resolve();
          },
          fail: (error) => {
            this.leave(listener);
            reject(error);
          },
        };
        group.listeners.add(listener);
      });
    } finally {
      signal.removeEventListener('abort', stop);
      this.leave(listener);
    }
  }

  private leave(listener: LiveMessagesListener | undefined): void {
    if (!listener || !this.options.group.listeners.delete(listener)) return;
    this.own = this.cursor.copy();
    this.ids = new ResumeIdSpacer();
    this.isLive = false;
  }
}

/** Whether an error of the store is transient, so that a later read may succeed. */
export function isTransient(error: unknown): boolean {
  return error instanceof StoreUnavailableError || (error instanceof ProblemError && error.retryable);
}

/** The open streams of one process that wait because reading from the store fails. */
export type StoreOutageTracker = OutageTracker<object>;

/** Logs when a store read of any live stream begins to fail, and when all can read again. `what` is their plural. */
export function storeOutage(what: string, logger: Logger): StoreOutageTracker {
  return new OutageTracker({
    began: (error) =>
      logger.warn({ err: error }, `${what} cannot read from the store: trying again until it answers`),
    ended: () => logger.info(`${what} read from the store again`),
  });
}
