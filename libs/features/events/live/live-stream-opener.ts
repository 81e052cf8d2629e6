import type { ServerResponse } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, LOGGER } from '#app';
import type { Definitions } from '#registry';
import type { EventReader } from '#store';
import type { Logger } from '#telemetry';
import { LIVE_STORE, Bulkhead } from '#gateway-kit';
import { type LiveEventJsonFormat, LiveFilter, type LiveSelection } from './live-filter.js';
import { LiveConnections, type ServedLiveStream, type StreamingCaller } from './live-connections.js';
import { SameFilterLiveStreams } from './same-filter-live-streams.js';
import { LivePosition, maxIdCharacters } from './live-position.js';
import { streamDeleted, invalidLastEventId, positionTooLong } from './live-problems.js';
import { LiveEventStream, storeOutage, type StoreOutageTracker } from './live-event-stream.js';
import { AcceptedEventsFollower } from './accepted-events-follower.js';
import type { LiveDelivery, LiveEventsFollower } from './live-events-follower.js';
import { StoredEventsFollower } from './stored-events-follower.js';
import { startMessage } from './server-sent-event-writer.js';

/** An authorized request for a live stream of events. */
interface LiveRequest {
  question: LiveSelection;
  format: LiveEventJsonFormat;
  delivery: LiveDelivery;
  /** The header `Last-Event-ID`. */
  lastEventId: string | undefined;
  requestId: string;
  caller: StreamingCaller;
}

/** Limit of live streams that read earlier events from the store at the same time. */
const concurrentHistory = 3;

/**
 * Opens live streams of events, and groups those of one gateway process that have the same filters, access, format and
 * delivery.
 */
@Injectable()
export class LiveStreamOpener {
  private readonly groups = new Map<string, SameFilterLiveStreams>();
  private readonly bulkhead: Bulkhead;
  private readonly outage: StoreOutageTracker;

  constructor(
    private readonly connections: LiveConnections,
    private readonly stored: StoredEventsFollower,
    private readonly accepted: AcceptedEventsFollower,
    @Inject(LIVE_STORE) private readonly store: { reader: Pick<EventReader, 'inLogOrder'> },
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream'>,
    @Inject(LOGGER) logger: Logger,
  ) {
    const { maxStreams: queued } = connections;
    this.bulkhead = new Bulkhead({ concurrent: concurrentHistory, queued, waitMs: 60_000 });
    this.outage = storeOutage('live streams', logger);
  }

  /**
   * Opens a live stream, and resolves when it has ended. The caller must not have sent any part of the answer yet.
   * @param begin sends the status line and headers of the answer
   * @throws ProblemError as long as nothing was sent: 429 `too_many_requests`, 503 `overloaded`, `log_unavailable`,
   * `shutting_down`, 400 `invalid_cursor`, `invalid_expression`, `invalid_request`
   */
  open(request: LiveRequest, begin: () => ServerResponse, client: AbortSignal): Promise<void> {
    return this.connections.admit(request.caller.keyId, async () => {
      const follower = this[request.delivery];
      const { key, group } = this.groupOf(request);
      group.members++;
      try {
        await this.askOnce(group.filter.question, client);
        const cursor = await follower.join(group, client);
        const position = startOf(request, cursor, group.filter);
        if (position.toString().length > maxIdCharacters) throw positionTooLong();
        const content = this.contentOf(request, { group, follower, position });
        await this.connections.serve(content, begin(), client);
      } finally {
        group.members--;
        if (group.members === 0) {
          this.groups.delete(key);
          follower.leave(group);
        }
      }
    });
  }

  private contentOf(
    request: LiveRequest,
    {
      group,
      follower,
      position,
    }: { group: SameFilterLiveStreams; follower: LiveEventsFollower; position: LivePosition },
  ): ServedLiveStream {
    const { bulkhead, outage } = this;
    const { caller, question, requestId } = request;
    const live = new LiveEventStream(position, {
      group,
      follower,
      reader: this.store.reader,
      bulkhead,
      outage,
    });
    const named = (question.streams ?? []).map((stream) => ({
      stream,
      id: this.definitions.stream(stream)?.id,
    }));
    return {
      requestId,
      position: () => live.position.toString(),
      requireGood: () => {
        caller.requireStillAdmitted();
        for (const { stream, id } of named) {
          const now = this.definitions.stream(stream);
          if (id !== undefined && (now?.state !== 'live' || now.id !== id)) throw streamDeleted(stream);
        }
        if (live.position.toString().length > maxIdCharacters) throw positionTooLong();
      },
      run: (socket, signal) => {
        if (isFromNow(request)) live.startNow();
        socket.write(startMessage(live.position.toString()));
        return live.run(socket, signal);
      },
    };
  }

  /**
   * Refuses a `where` that the store cannot evaluate, before anything is sent. The store evaluates it when a stream
   * catches up on earlier events.
   */
  private async askOnce(question: LiveSelection, client: AbortSignal): Promise<void> {
    const { where, access } = question;
    if (!where) return;
    const ranges = [{ stream: 'x', partition: 0, from: 0, until: 0 }];
    const query = { where, access, ranges, limit: 1, maxBytes: 1024 * 1024 };
    await this.bulkhead.run(client, (signal) => this.store.reader.inLogOrder(query, signal));
  }

  private groupOf({ question, format, delivery, caller: { keyId } }: LiveRequest): {
    key: string;
    group: SameFilterLiveStreams;
  } {
    const filter = new LiveFilter(question);
    const { access } = question;
    const key = JSON.stringify([filter.binding, format, delivery, access.patterns, access.reserved]);
    let group = this.groups.get(key);
    if (!group) this.groups.set(key, (group = new SameFilterLiveStreams(filter, keyId, format)));
    return { key, group };
  }
}

/** Whether a live stream starts with the next event. */
function isFromNow({ lastEventId = '', question }: LiveRequest): boolean {
  return lastEventId === '' && question.since === undefined;
}

/**
 * Returns where a live stream starts: at the position of the header `Last-Event-ID`. Without that header it starts
 * after the newest delivered event, or with `since` at the first stored event.
 */
function startOf(request: LiveRequest, cursor: LivePosition, { binding }: LiveFilter): LivePosition {
  const { lastEventId = '' } = request;
  if (lastEventId !== '') {
    const position = LivePosition.parse(lastEventId, binding);
    if (position) return position;
    throw invalidLastEventId();
  }
  return isFromNow(request) ? cursor.copy() : new LivePosition(binding);
}
