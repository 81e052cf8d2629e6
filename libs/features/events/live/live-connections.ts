import { setMaxListeners } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Inject, Injectable, Optional } from '@nestjs/common';
import { LOGGER } from '#app';
import { withAnySignal } from '#async';
import { problemOf, type Principal } from '#http';
import { type Logger, counter, gauge } from '#telemetry';
import {
  ServerSentEventWriter,
  type UnsentBytesLimits,
  errorMessage,
  heartBeat,
} from './server-sent-event-writer.js';
import { LiveSettings } from './live-settings.js';
import { shuttingDown, tooManyStreams, tooManyStreamsOfKey } from './live-problems.js';

export const liveStreams = gauge('tributary_live_streams', {
  help: 'Open connections for live events and for live changes of projections.',
});

export const liveEvents = counter('tributary_live_events_total', {
  help: 'Events written to live connections; each connection counts.',
});

export const liveChanges = counter('tributary_live_changes_total', {
  help: 'States of projections written to live connections; each connection counts.',
});

export const liveEnded = counter('tributary_live_ended_total', {
  help: 'Live connections that this instance closed, by the problem code that it sent.',
  labelNames: ['code'],
});

/** Intervals of the connections of live streams, and the limits of their unsent bytes. */
export interface LiveTimings {
  socket: UnsentBytesLimits;
  heartBeatMs: number;
  /** Milliseconds between two checks whether a stream may continue. */
  checkMs: number;
}

/** The caller that has opened a live stream. */
export type StreamingCaller = Pick<Principal, 'access' | 'keyId' | 'requireStillAdmitted'>;

/** What `LiveConnections` sends on one connection: a live stream of events, or of projection changes. */
export interface ServedLiveStream {
  requestId: string;
  /** Returns the id from which the client can resume. */
  position(): string;
  /** Requires that the stream may continue. @throws ProblemError when it may not */
  requireGood(): void;
  /**
   * Writes to the socket until something ends the stream.
   * @throws the error to report to the client, and the signal's reason
   */
  run(socket: ServerSentEventWriter, signal: AbortSignal): Promise<never>;
}

const defaults: LiveTimings = {
  socket: { bytes: 256 * 1024, slowMs: 10_000 },
  heartBeatMs: 15_000,
  checkMs: 1_000,
};

interface OpenConnection {
  content: ServedLiveStream;
  socket: ServerSentEventWriter;
  end: AbortController;
}

/**
 * The open live streams of one gateway process, both of events and of projection changes. Limits their number, sends
 * heartbeats, ends each stream that may not continue, and reports the reason to its client.
 */
@Injectable()
export class LiveConnections {
  private readonly times: LiveTimings;
  private readonly connections = new Set<OpenConnection>();
  private readonly closing = new AbortController();
  private admitted = 0;
  /** Number of open streams by key id. */
  private readonly byKey = new Map<string, number>();
  private timers: NodeJS.Timeout[] = [];

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly settings: LiveSettings,
    @Optional() times: Partial<LiveTimings> = {},
  ) {
    this.times = { ...defaults, ...times };
    setMaxListeners(0, this.closing.signal);
  }

  get maxStreams(): number {
    return this.settings.LIVE_STREAMS;
  }

  /** Aborted when all streams are ended. */
  get closed(): AbortSignal {
    return this.closing.signal;
  }

  /**
   * Runs the work, and counts a stream as open until the work ends.
   * @param keyId id of the caller's key; null on a port without keys, where only the total is limited
   * @throws ProblemError 429 `too_many_requests` when the key has reached its limit, 503 `overloaded`, `shutting_down`,
   * and the errors of the work
   */
  async admit(keyId: string | null, work: () => Promise<void>): Promise<void> {
    if (this.closing.signal.aborted) throw shuttingDown();
    const { LIVE_STREAMS: most, LIVE_STREAMS_PER_KEY: mostOfKey } = this.settings;
    if (keyId !== null && (this.byKey.get(keyId) ?? 0) >= mostOfKey) throw tooManyStreamsOfKey(mostOfKey);
    if (this.admitted >= most) throw tooManyStreams(most);
    liveStreams.set(++this.admitted);
    this.count(keyId, 1);
    try {
      await work();
    } finally {
      liveStreams.set(--this.admitted);
      this.count(keyId, -1);
    }
  }

  private count(keyId: string | null, change: 1 | -1): void {
    if (keyId === null) return;
    const open = (this.byKey.get(keyId) ?? 0) + change;
    if (open > 0) this.byKey.set(keyId, open);
    else this.byKey.delete(keyId);
  }

  /**
   * Sends the content of an answer whose headers have been sent. Resolves when the stream has ended, for any reason.
   */
  async serve(content: ServedLiveStream, response: ServerResponse, client: AbortSignal): Promise<void> {
    const socket = new ServerSentEventWriter(response, this.times.socket);
    const connection: OpenConnection = { content, socket, end: new AbortController() };
    if (this.closing.signal.aborted) connection.end.abort(shuttingDown());
    this.connections.add(connection);
    if (this.timers.length === 0) this.startTimers();
    try {
      await withAnySignal([client, connection.end.signal], (signal) => content.run(socket, signal));
    } catch (error) {
      if (!client.aborted) this.finish(connection, error);
    } finally {
      this.connections.delete(connection);
      if (this.connections.size === 0) for (const timer of this.timers.splice(0)) clearInterval(timer);
    }
  }

  /**
   * Ends all streams. The clients of ended live streams connect again, to another gateway process or to this one after
   * its restart.
   */
  close(): void {
    this.closing.abort(shuttingDown());
    for (const { end } of this.connections) end.abort(shuttingDown());
  }

  private finish({ socket, content: { requestId } }: OpenConnection, error: unknown): void {
    const problem = problemOf(error);
    liveEnded.inc({ code: problem.code });
    if (problem.code === 'internal_error') {
      this.logger.error({ request_id: requestId, err: error }, 'a live stream failed');
    }
    // Clients retry at different times and only after this port is closed, because EventSource gives up after a 503.
    socket.end(errorMessage(problem, { requestId, retryMs: 1000 + Math.random() * 2000 }));
  }

  private startTimers(): void {
    const { heartBeatMs, checkMs } = this.times;
    const beat = () => {
      for (const { socket, content } of this.connections)
        if (!socket.isFull) socket.write(heartBeat(content.position()));
    };
    const check = () => {
      for (const { content, end } of this.connections) {
        try {
          content.requireGood();
        } catch (error) {
          end.abort(error);
        }
      }
    };
    this.timers = [setInterval(beat, heartBeatMs).unref(), setInterval(check, checkMs).unref()];
  }
}
