import { setMaxListeners } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS } from '#app';
import { auditStream, permitsStream, ProblemError, type StreamAccess } from '#api';
import { withAnySignal } from '#async';
import type { Definitions } from '#registry';
import type { AuthorizationScope } from '#store';
import {
  CONSISTENCY_BOUNDS,
  awaitStream,
  type ConsistencyLimits,
  ConsistencyTokenWaiter,
} from '../consistency/consistency-tokens.js';
import type { ConsistencyToken } from '../parameters/decorators.js';

/** What decides the streams of a read. */
interface StreamReadRequest {
  /** The streams that the caller may see. */
  access: StreamAccess;
  /** Stream names in the request. Without them (undefined), the request reads every stream that the caller may see. */
  streams?: readonly string[] | undefined;
  /** The request parameter that names the streams. Default: `stream`. */
  pointer?: string;
  /** The read starts only when the store has the events up to these positions (request parameter `wait_for`). */
  positions?: readonly ConsistencyToken[] | undefined;
  /** Aborted when the client disconnects. */
  client: AbortSignal;
}

/** The caller whose request names streams, and for each stream the JSON pointer or parameter for error messages. */
interface StreamRequester {
  access: StreamAccess;
  client: AbortSignal;
  pointerOf: (stream: string) => string;
}

/** Limit of concurrent requests that wait for another process to announce an unknown stream. */
const maxWaiting = 100;

/**
 * Decides which streams a read may see. A named stream must exist: a misspelt name must not look like an empty result.
 * System streams are visible only to requests that name them.
 */
@Injectable()
export class StreamReadAuthorizer {
  /** Milliseconds until an unknown stream is answered 404: another process may have just created it. */
  private readonly unknownStreamMs: number;
  private waiting = 0;

  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream' | 'streams' | 'onChange'>,
    @Inject(ConsistencyTokenWaiter) private readonly tokens: Pick<ConsistencyTokenWaiter, 'reached'>,
    @Inject(CONSISTENCY_BOUNDS) { unknownStreamMs = 1000 }: Partial<ConsistencyLimits> = {},
  ) {
    this.unknownStreamMs = unknownStreamMs;
  }

  /**
   * Returns the authorization scope of a read, once the positions that it waits for can be queried.
   * @throws ProblemError 404 `stream_not_found`, 503 `overloaded`, and the errors of `ConsistencyTokenWaiter`
   */
  async of({
    access,
    streams,
    pointer = 'stream',
    positions = [],
    client,
  }: StreamReadRequest): Promise<AuthorizationScope> {
    if (streams) await this.requireLive(streams, { access, client, pointerOf: () => pointer });
    const awaited = positions.map(({ stream }) => stream);
    await this.requireLive(awaited, { access, client, pointerOf: () => 'wait_for' });
    await this.tokens.reached(positions, client);
    return { access: streams ? access : { ...access, reserved: false }, hidden: this.beingDeleted() };
  }

  /** Returns the authorization scope for a lookup by event id, in any stream that the caller may see. */
  ofAny(access: StreamAccess): AuthorizationScope {
    return { access, hidden: this.beingDeleted() };
  }

  /**
   * Requires that the source streams of a definition are live and visible.
   * @param pointers JSON pointers to where the definition names the streams, by stream name
   * @throws the errors of `requireLive`
   */
  requireSources(
    pointers: ReadonlyMap<string, string>,
    { access, client }: { access: StreamAccess; client: AbortSignal },
  ): Promise<void> {
    const pointerOf = (stream: string) => pointers.get(stream) ?? '/source/streams';
    return this.requireLive([...pointers.keys()], { access, client, pointerOf });
  }

  /** Returns the streams that are being deleted. The store may still have their rows, but no read may return them. */
  private beingDeleted(): string[] {
    return this.definitions
      .streams()
      .filter(({ state }) => state === 'deleting')
      .map(({ stream }) => stream);
  }

  /**
   * Requires that streams exist, are not being deleted, and are visible to the caller. The error is the same in all
   * three cases. Waits for a stream that another process has just created.
   * @throws ProblemError 404 `stream_not_found`, 503 `overloaded`
   */
  async requireLive(
    streams: readonly string[],
    { access, client, pointerOf }: StreamRequester,
  ): Promise<void> {
    const isThere = (stream: string) => permitsStream(access, stream) && this.exists(stream);
    const missing = () => [...new Set(streams)].filter((stream) => !isThere(stream));
    const unknown = missing();
    if (unknown.length === 0) return;
    if (!unknown.every((stream) => permitsStream(access, stream))) throw notFound(unknown, pointerOf);
    if (this.waiting >= maxWaiting) {
      const detail = 'Too many requests name streams that do not exist.';
      throw new ProblemError('overloaded', detail, { retryAfterSeconds: 1 });
    }
    this.waiting++;
    try {
      await withAnySignal([client], async (signal) => {
        setMaxListeners(unknown.length + 1, signal);
        const bounds = { withinMs: this.unknownStreamMs, signal };
        await Promise.all(unknown.map((stream) => awaitStream(this.definitions, stream, bounds)));
      });
    } finally {
      this.waiting--;
    }
    if (missing().length > 0) throw notFound(missing(), pointerOf);
  }

  /** Whether a stream exists. The audit stream exists even before its first record creates its topic. */
  private exists(stream: string): boolean {
    const definition = this.definitions.stream(stream);
    return definition ? definition.state === 'live' : stream === auditStream;
  }
}

function notFound(streams: readonly string[], pointerOf: (stream: string) => string): ProblemError {
  const detail = `There is no stream ${streams.join(', ')}; GET /api/v1/streams lists those that you may read.`;
  return new ProblemError('stream_not_found', detail, {
    errors: streams.map((stream) => ({ pointer: pointerOf(stream), detail: `there is no stream ${stream}` })),
  });
}
