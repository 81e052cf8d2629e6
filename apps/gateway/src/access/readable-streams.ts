import { setMaxListeners } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { auditStream, permitsStream, ProblemError, type StreamAccess } from '#api';
import { withAnySignal } from '#async';
import type { Definitions } from '#registry';
import type { Permitted } from '#store';
import { DEFINITIONS, CONSISTENCY_BOUNDS } from '../adapters/adapters.js';
import { announcedStream } from '../consistency/announced-stream.js';
import type { StreamPosition } from '../consistency/position.js';
import type { ConsistencyBounds } from '../consistency/consistency-bounds.js';
import { ConsistencyTokens } from '../consistency/consistency-tokens.js';

/** A request that reads, and the streams that it names. */
export interface StreamsQuestion {
  /** What the caller may see. */
  access: StreamAccess;
  /** Undefined where it names none: it asks about all that it may see. */
  streams?: readonly string[] | undefined;
  /** Where it names them. Default: the parameter `stream`. */
  pointer?: string;
  /** Positions that it waits for. */
  positions?: readonly StreamPosition[] | undefined;
  /** Aborted when the client goes away. */
  client: AbortSignal;
}

/** Who needs streams, and where in the request each is named. */
export interface RequiredStreams {
  access: StreamAccess;
  client: AbortSignal;
  pointerOf: (stream: string) => string;
}

/** Requests that wait for an unknown stream at once. */
const maxWaiting = 100;

/**
 * Says which streams a read may see. A stream that is named must exist: a typing error must not look like "no data".
 * The system's own streams are seen by those who name them, and only by these.
 */
@Injectable()
export class ReadableStreams {
  /** Until a stream that this process has not heard of is answered 404: another may have just made it. */
  private readonly unknownStreamMs: number;
  private waiting = 0;

  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream' | 'streams' | 'onChange'>,
    @Inject(ConsistencyTokens) private readonly tokens: Pick<ConsistencyTokens, 'reached'>,
    @Inject(CONSISTENCY_BOUNDS) { unknownStreamMs = 1000 }: Partial<ConsistencyBounds> = {},
  ) {
    this.unknownStreamMs = unknownStreamMs;
  }

  /**
   * What the store may show to this request, once the positions that it waits for can be queried.
   * @throws ProblemError 404 `stream_not_found`, 503 `overloaded`, and what `ConsistencyTokens` throws
   */
  async of({
    access,
    streams,
    pointer = 'stream',
    positions = [],
    client,
  }: StreamsQuestion): Promise<Permitted> {
    if (streams) await this.requireLive(streams, { access, client, pointerOf: () => pointer });
    const awaited = positions.map(({ stream }) => stream);
    await this.requireLive(awaited, { access, client, pointerOf: () => 'wait_for' });
    await this.tokens.reached(positions, client);
    return { access: streams ? access : { ...access, reserved: false }, hidden: this.beingDeleted() };
  }

  /** What the store may show where one thing is asked for by its id, which may be in any stream. */
  ofAny(access: StreamAccess): Permitted {
    return { access, hidden: this.beingDeleted() };
  }

  /** Refuses a definition that reads streams that are not there, or may not be seen. @throws what `requireLive` throws */
  requireSources(
    { source: { streams } }: { source: { streams: readonly string[] } },
    { access, client }: { access: StreamAccess; client: AbortSignal },
  ): Promise<void> {
    const pointerOf = (stream: string) => `/source/streams/${streams.indexOf(stream)}`;
    return this.requireLive(streams, { access, client, pointerOf });
  }

  /** Streams whose rows may still be there, and are to be seen no more. */
  private beingDeleted(): string[] {
    return this.definitions
      .streams()
      .filter(({ state }) => state === 'deleting')
      .map(({ stream }) => stream);
  }

  /**
   * Refuses streams that do not exist, are being deleted, or may not be seen: the answer does not tell one from the other.
   * A stream that another process has just made is waited for.
   * @throws ProblemError 404 `stream_not_found`, 503 `overloaded`
   */
  async requireLive(
    streams: readonly string[],
    { access, client, pointerOf }: RequiredStreams,
  ): Promise<void> {
    const isThere = (stream: string) => permitsStream(access, stream) && this.exists(stream);
    const missing = () => [...new Set(streams)].filter((stream) => !isThere(stream));
    const unknown = missing();
    if (unknown.length === 0) return;
    if (!unknown.every((stream) => permitsStream(access, stream))) throw notFound(unknown, pointerOf);
    if (this.waiting >= maxWaiting) throw tooMany();
    this.waiting++;
    try {
      await this.announced(unknown, client);
    } finally {
      this.waiting--;
    }
    if (missing().length > 0) throw notFound(missing(), pointerOf);
  }

  private async announced(streams: readonly string[], client: AbortSignal): Promise<void> {
    const { definitions, unknownStreamMs: withinMs } = this;
    await withAnySignal([client], async (signal) => {
      setMaxListeners(streams.length + 1, signal);
      await Promise.all(streams.map((stream) => announcedStream(definitions, stream, { withinMs, signal })));
    });
  }

  /** The audit exists before its first entry makes its topic. */
  private exists(stream: string): boolean {
    const definition = this.definitions.stream(stream);
    return definition ? definition.state === 'live' : stream === auditStream;
  }
}

function tooMany(): ProblemError {
  const detail = 'Too many requests name streams that do not exist.';
  return new ProblemError('overloaded', detail, { retryAfterSeconds: 1 });
}

function notFound(streams: readonly string[], pointerOf: (stream: string) => string): ProblemError {
  const detail = `There is no stream ${streams.join(', ')}; GET /api/v1/streams lists those that you may read.`;
  return new ProblemError('stream_not_found', detail, {
    errors: streams.map((stream) => ({ pointer: pointerOf(stream), detail: `there is no stream ${stream}` })),
  });
}
