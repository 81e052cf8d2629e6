import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ServerSentEventWriter,
  LivePosition,
  isTransient,
  positionMessage,
  type StoreOutageTracker,
  liveChanges,
} from '#features/events';
import type {
  GenerationChanges,
  ChangeMessagesPage,
  ChangeMessagesPageRequest,
} from './generation-changes.js';
import {
  generationBinding,
  changeId,
  type ChangeStreamPosition,
  type ChangedKeysCursor,
} from './change-stream-position.js';
import type { ProjectionsFollower } from './projections-follower.js';

/** Dependencies and retry times of one live stream of projection changes. */
interface LiveChangesStreamOptions {
  /** Name of the projection. */
  name: string;
  follower: Pick<ProjectionsFollower, 'feed' | 'serves'>;
  /** Whether a client without a position first receives the states of all keys. */
  snapshot: boolean;
  /** The store outage that all streams of changes share. */
  outage: StoreOutageTracker;
  /** Milliseconds until the store is read again after a failure. */
  retryMs?: number;
}

/** Where a client's live stream of projection changes starts. */
export interface ChangeStreamStart {
  feed: GenerationChanges;
  /** The client's position; undefined for a new client, or a client whose position is in another generation. */
  position: ChangeStreamPosition | undefined;
  /** The message id of the client's position in another generation; undefined if it has none. */
  formerId: string | undefined;
}

type Socket = Pick<ServerSentEventWriter, 'write' | 'room'>;

/**
 * One open live stream of a projection's changes. The stream repeatedly moves from its position to the saved position
 * of the generation, and sends the current state of each key that has changed in between. The longer such a pass takes,
 * the more changes of a key become one message in the next pass: nothing is buffered for a slow client.
 */
export class LiveChangesStream {
  private feed: GenerationChanges;
  private own: LivePosition;
  /** The keys whose changes after the position have already been sent, while a pass is incomplete. */
  private sent: ChangedKeysCursor | undefined;
  /** Whether the states that the client has belong to another generation, so that a reset precedes all else. */
  private isOfAnother: boolean;
  private formerId: string | undefined;
  private isBehind = true;

  constructor(
    { feed, position, formerId }: ChangeStreamStart,
    private readonly options: LiveChangesStreamOptions,
  ) {
    this.feed = feed;
    this.own = position?.from ?? this.beginningOf(feed);
    this.sent = position?.sent;
    this.formerId = formerId;
    this.isOfAnother = formerId !== undefined;
  }

  /**
   * The id of the position up to which the client has received, or is about to receive, everything. Until the reset is
   * sent, the id is that of the former generation: a client whose connection ends before the reset needs it still.
   */
  get id(): string {
    return this.formerId ?? changeId({ from: this.own, sent: this.sent });
  }

  /**
   * Sends changes until something ends the stream.
   * @throws the signal's reason, a ProblemError for a client that is too slow, and permanent errors of the store
   */
  async run(socket: Socket, signal: AbortSignal): Promise<never> {
    try {
      return await this.goOn(socket, signal);
    } finally {
      this.options.outage.gaveUp(this);
    }
  }

  private async goOn(socket: Socket, signal: AbortSignal): Promise<never> {
    for (;;) {
      await socket.room(signal);
      const feed = await this.options.follower.feed(this.options.name, { signal, patient: true });
      if (feed.generation.id !== this.feed.generation.id) this.begin(feed);
      // The client must discard all states that it has received: they belong to an earlier generation.
      if (this.isOfAnother) socket.write(message('reset', feed) + positionMessage(this.own.toString()));
      [this.isOfAnother, this.formerId] = [false, undefined];
      const to = this.sent?.to ?? feed.cursor.copy();
      if (this.own.missingTo(to).length > 0) await this.sendChanges(to, socket, signal);
      else if (this.sent) this.sent = undefined;
      else await this.wait(socket, signal);
    }
  }

  private begin(feed: GenerationChanges): void {
    this.feed = feed;
    this.own = this.beginningOf(feed);
    this.sent = undefined;
    this.isOfAnother = true;
    this.isBehind = true;
  }

  private beginningOf(feed: GenerationChanges): LivePosition {
    const { name, snapshot } = this.options;
    return snapshot ? new LivePosition(generationBinding(name, feed.generation)) : feed.cursor.copy();
  }

  private async wait(socket: Socket, signal: AbortSignal): Promise<void> {
    const { feed } = this;
    if (this.isBehind) socket.write(message('caught_up', feed));
    this.isBehind = false;
    await feed.moved(signal);
  }

  private async sendChanges(to: LivePosition, socket: Socket, signal: AbortSignal): Promise<void> {
    const { feed, own: from } = this;
    let after = this.sent?.after;
    do {
      const page = await this.read({ from, to, after }, signal);
      // The rows of a replaced generation are removed a little later, so an empty page says nothing about its changes.
      if (!this.options.follower.serves(this.options.name, feed)) return;
      if (page.changes > 0) socket.write(page.bytes);
      liveChanges.inc(page.changes);
      after = page.after;
      this.sent = after === undefined ? undefined : { to, after };
      if (after === undefined) this.own = to;
      await socket.room(signal);
    } while (after !== undefined);
    socket.write(positionMessage(to.toString()));
  }

  /** Reads one page of changes. Tries again after a transient failure of the store. */
  private async read(request: ChangeMessagesPageRequest, signal: AbortSignal): Promise<ChangeMessagesPage> {
    for (;;) {
      try {
        const page = await this.feed.changed(request);
        this.options.outage.succeeded(this);
        signal.throwIfAborted();
        return page;
      } catch (error) {
        signal.throwIfAborted();
        if (!isTransient(error)) throw error;
        this.options.outage.failed(this, error);
        await sleep(this.options.retryMs ?? 1000, undefined, { signal }).catch(() => signal.throwIfAborted());
      }
    }
  }
}

/** Returns a Server-Sent Event with the version of a generation, without an id. */
function message(event: 'reset' | 'caught_up', { generation }: GenerationChanges): string {
  return `event: ${event}\ndata: ${JSON.stringify({ version: generation.version })}\n\n`;
}
