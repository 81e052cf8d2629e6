import type { ServerResponse } from 'node:http';
import type { Definitions } from '#definitions';
import { problemOf } from '#http';
import type { EventReader } from '#store';
import { metrics, type Logger } from '#telemetry';
import { ReadGate } from '../reads/read-gate.js';
import { EventSocket, type EventSocketOptions } from './event-socket.js';
import { LiveFilter, type LiveQuestion } from './live-filter.js';
import { LiveGroup } from './live-group.js';
import { LivePosition } from './live-position.js';
import { deleted, notAPosition, shuttingDown, tooMany, tooWide } from './live-problems.js';
import { LiveReader } from './live-reader.js';
import type { LogFollower } from './log-follower.js';
import { beginning, errorMessage, heartBeat } from './server-sent.js';

export interface LiveStreamsOptions {
  follower: LogFollower;
  reader: Pick<EventReader, 'inLogOrder'>;
  definitions: Pick<Definitions, 'stream'>;
  logger: Logger;
  /** Streams that are open at once; one more is refused. */
  maxStreams: number;
  socket?: EventSocketOptions;
  heartBeatMs?: number;
  /** Milliseconds between two looks at whether a stream may go on. */
  checkMs?: number;
}

/** A request for a stream, which was let in. */
export interface LiveRequest {
  question: LiveQuestion;
  /** `Last-Event-ID` */
  lastEventId: string | undefined;
  requestId: string;
  /** @throws ProblemError when its key does not permit it any more */
  requirePermission(): void;
}

interface OpenStream {
  request: LiveRequest;
  reader: LiveReader;
  socket: EventSocket;
  end: AbortController;
  /** When the streams that were named were made. */
  named: ReadonlyMap<string, string | undefined>;
}

const defaults = {
  socket: { bytes: 256 * 1024, slowMs: 10_000 },
  heartBeatMs: 15_000,
  checkMs: 1_000,
};

/** Characters of an id: it has to fit into a request's headers, which Node bounds at 16 KiB together. */
const longestId = 12_000;
/** Streams that read history at once. */
const concurrentHistory = 3;

/** All open streams of one process. */
export class LiveStreams {
  private readonly options: Required<LiveStreamsOptions>;
  private readonly groups = new Map<string, LiveGroup>();
  private readonly streams = new Set<OpenStream>();
  private readonly gate: ReadGate;
  private readonly closing = new AbortController();
  private opening = 0;
  private timers: NodeJS.Timeout[] = [];

  constructor(options: LiveStreamsOptions) {
    this.options = { ...defaults, ...options };
    const { maxStreams: queued } = options;
    this.gate = new ReadGate({ concurrent: concurrentHistory, queued, waitMs: 60_000 });
  }

  /**
   * Opens a stream on an answer of which nothing was sent yet, and resolves when it has ended.
   * @param begin Sends the head of the answer.
   * @throws ProblemError as long as nothing was sent: 503 `overloaded`, `log_unavailable`, `shutting_down`, 400
   * `invalid_cursor`, `invalid_expression`, `invalid_request`
   */
  async open(request: LiveRequest, begin: () => ServerResponse, client: AbortSignal): Promise<void> {
    if (this.closing.signal.aborted) throw shuttingDown();
    if (this.opening >= this.options.maxStreams) throw tooMany(this.options.maxStreams);
    this.opening++;
    metrics.liveStreams.set(this.opening);
    const group = this.groupOf(request.question);
    group.members++;
    try {
      await this.askOnce(group.filter.question, client);
      const cursor = await this.options.follower.join(group, client);
      const position = startOf(request, cursor, group.filter);
      await this.serve({ request, group, position, begin, client });
    } finally {
      this.opening--;
      metrics.liveStreams.set(this.opening);
      group.members--;
      if (group.members === 0) this.forget(group);
    }
  }

  /** Ends all streams: their clients connect again elsewhere, or to this process when it is back. */
  close(): void {
    this.closing.abort();
    for (const { end } of this.streams) end.abort(shuttingDown());
  }

  private async serve(opened: {
    request: LiveRequest;
    group: LiveGroup;
    position: LivePosition;
    begin: () => ServerResponse;
    client: AbortSignal;
  }): Promise<void> {
    const { request, group, position, client } = opened;
    if (position.toString().length > longestId) throw tooWide();
    const { follower, reader, socket: bounds } = this.options;
    const response = opened.begin();
    const socket = new EventSocket(response, bounds);
    const end = new AbortController();
    const stream: OpenStream = {
      request,
      socket,
      end,
      reader: new LiveReader(position, { group, follower, reader, gate: this.gate, socket }),
      named: this.named(request.question),
    };
    this.add(stream);
    socket.write(beginning(position));
    try {
      await stream.reader.run(AbortSignal.any([client, end.signal]));
    } catch (error) {
      if (!client.aborted) this.finish(stream, error);
    } finally {
      this.remove(stream);
    }
  }

  private finish({ socket, request }: OpenStream, error: unknown): void {
    const problem = problemOf(error);
    const { requestId } = request;
    metrics.liveEnded.inc({ code: problem.code });
    if (problem.code === 'internal_error') {
      this.options.logger.error({ request_id: requestId, err: error }, 'a live stream failed');
    }
    // Not all at once, and not before this port is closed: EventSource gives up on a 503.
    socket.end(errorMessage(problem, { requestId, retryMs: 1000 + Math.random() * 2000 }));
  }

  /** Refuses what the store cannot look for, before anything is sent: what was missed is looked for there. */
  private async askOnce(question: LiveQuestion, client: AbortSignal): Promise<void> {
    const { where, access } = question;
    if (!where) return;
    const nothing = { stream: 'x', partition: 0, from: 0, until: 0 };
    await this.gate.run(client, (signal) =>
      this.options.reader.inLogOrder(
        { where, access, ranges: [nothing], limit: 1, maxBytes: 1024 * 1024 },
        signal,
      ),
    );
  }

  private groupOf(question: LiveQuestion): LiveGroup {
    const filter = new LiveFilter(question);
    const key = groupKey(filter);
    let group = this.groups.get(key);
    if (!group) this.groups.set(key, (group = new LiveGroup(filter)));
    return group;
  }

  private forget(group: LiveGroup): void {
    this.groups.delete(groupKey(group.filter));
    this.options.follower.leave(group);
  }

  private named({ streams = [] }: LiveQuestion): Map<string, string | undefined> {
    return new Map(streams.map((stream) => [stream, this.options.definitions.stream(stream)?.created_at]));
  }

  private add(stream: OpenStream): void {
    this.streams.add(stream);
    if (this.timers.length > 0) return;
    const { heartBeatMs, checkMs } = this.options;
    this.timers = [
      setInterval(() => this.beat(), heartBeatMs).unref(),
      setInterval(() => this.check(), checkMs).unref(),
    ];
  }

  private remove(stream: OpenStream): void {
    this.streams.delete(stream);
    if (this.streams.size > 0) return;
    for (const timer of this.timers.splice(0)) clearInterval(timer);
  }

  private beat(): void {
    for (const { socket, reader } of this.streams)
      if (!socket.isFull) socket.write(heartBeat(reader.position));
  }

  private check(): void {
    for (const stream of this.streams) {
      try {
        this.requireGood(stream);
      } catch (error) {
        stream.end.abort(error);
      }
    }
  }

  private requireGood({ request, named, reader }: OpenStream): void {
    request.requirePermission();
    for (const [stream, createdAt] of named) {
      if (createdAt === undefined) continue;
      const now = this.options.definitions.stream(stream);
      if (now?.state !== 'live' || now.created_at !== createdAt) throw deleted(stream);
    }
    if (reader.position.toString().length > longestId) throw tooWide();
  }
}

function groupKey({ binding, question: { access } }: LiveFilter): string {
  return JSON.stringify([binding, access.patterns, access.reserved]);
}

/** After the last event that the client has; without one from now on, or with `since` from the beginning. */
function startOf(
  { lastEventId, question }: LiveRequest,
  cursor: LivePosition,
  { binding }: LiveFilter,
): LivePosition {
  if (lastEventId !== undefined && lastEventId !== '') {
    const position = LivePosition.parse(lastEventId, binding);
    if (position) return position;
    throw notAPosition();
  }
  return question.since === undefined ? cursor.copy() : new LivePosition(binding);
}
