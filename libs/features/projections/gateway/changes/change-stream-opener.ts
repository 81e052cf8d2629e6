import type { ServerResponse } from 'node:http';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { LOGGER } from '#app';
import { ProblemError } from '#api';
import type { ProjectionDefinition } from '#features/projections/definition';
import type { Logger } from '#telemetry';
import {
  LiveConnections,
  type ServedLiveStream,
  type StreamingCaller,
  maxIdCharacters,
  startMessage,
  storeOutage,
  type StoreOutageTracker,
} from '#features/events';
import { VisibleProjections } from '../visible-projections.js';
import type { GenerationChanges } from './generation-changes.js';
import { parseChangeId } from './change-stream-position.js';
import { LiveChangesStream, type ChangeStreamStart } from './live-changes-stream.js';
import { ProjectionsFollower } from './projections-follower.js';

/** An authorized request for a live stream of a projection's changes. */
interface ChangesRequest {
  /** The definition at the time when the stream is opened. A generation of this projection is serving reads. */
  definition: ProjectionDefinition;
  caller: StreamingCaller;
  snapshot: boolean;
  /** The header `Last-Event-ID`. */
  lastEventId: string | undefined;
  requestId: string;
}

/** Opens live streams of projection changes in one gateway process. */
@Injectable()
export class ChangeStreamOpener {
  private readonly outage: StoreOutageTracker;

  /** @param times.retryMs milliseconds until the store is read again after a failure */
  constructor(
    private readonly connections: LiveConnections,
    private readonly follower: ProjectionsFollower,
    private readonly projections: VisibleProjections,
    @Inject(LOGGER) logger: Logger,
    @Optional() private readonly times: { retryMs?: number } = {},
  ) {
    this.outage = storeOutage('streams of changes', logger);
  }

  /**
   * Opens a stream, and resolves when it has ended. Nothing of the answer may have been sent before.
   * @param begin sends the status line and headers of the answer
   * @throws ProblemError as long as nothing was sent: 429 `too_many_requests`, 503 `overloaded`, `shutting_down`, 400
   * `invalid_cursor`, `invalid_request`
   * @throws StoreUnavailableError
   */
  open(request: ChangesRequest, begin: () => ServerResponse, client: AbortSignal): Promise<void> {
    const { connections, follower } = this;
    const { name } = request.definition;
    return connections.admit(request.caller.keyId, async () => {
      follower.join(name);
      try {
        const feed = await follower.feed(name, { signal: client, patient: false });
        const content = this.contentOf(request, startOf(request, feed));
        await connections.serve(content, begin(), client);
      } finally {
        follower.leave(name);
      }
    });
  }

  private contentOf(request: ChangesRequest, start: ChangeStreamStart): ServedLiveStream {
    const { follower, projections, outage } = this;
    const { definition, caller, snapshot, requestId } = request;
    const { name, created_at } = definition;
    const changes = new LiveChangesStream(start, { name, follower, snapshot, outage, ...this.times });
    const position = () => changes.id;
    if (position().length > maxIdCharacters) throw tooManyPartitions();
    return {
      requestId,
      position,
      requireGood: () => {
        caller.requireStillAdmitted();
        const now = projections.get(name, caller.access);
        if (now.created_at !== created_at) projections.requireVisible(undefined, caller.access);
        if (position().length > maxIdCharacters) throw tooManyPartitions();
      },
      run: (socket, signal) => {
        socket.write(startMessage(position()));
        return changes.run(socket, signal);
      },
    };
  }
}

/**
 * Returns where a live stream of changes starts: at the position of the header `Last-Event-ID`. Without that header it
 * starts at the saved position, or with `snapshot` with the states of all keys.
 */
function startOf(
  { definition: { name }, lastEventId }: ChangesRequest,
  feed: GenerationChanges,
): ChangeStreamStart {
  if (lastEventId === undefined || lastEventId === '')
    return { feed, position: undefined, formerId: undefined };
  const position = parseChangeId(lastEventId, { name, generation: feed.generation });
  return { feed, position, formerId: position === undefined ? lastEventId : undefined };
}

function tooManyPartitions(): ProblemError {
  const detail =
    'The streams of this projection have so many partitions that a position in them does not fit into a header.';
  return new ProblemError('invalid_request', detail, {
    errors: [{ pointer: 'name', detail: 'has too many partitions to be followed' }],
  });
}
