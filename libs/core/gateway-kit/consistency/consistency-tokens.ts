import { setMaxListeners } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { defineProblems, ProblemError } from '#api';
import { DEFINITIONS, LOG } from '#app';
import { limits, TopicAndGroupNames } from '#event';
import { LogUnavailableError, type TopicAdmin } from '#kafka';
import type { Definitions, StreamDefinition } from '#registry';
import { gauge } from '#telemetry';
import type { ConsistencyToken } from '../parameters/decorators.js';
import { CommittedOffsetsWatch } from './committed-watch.js';
import { FLUSHES, type FlushRequestSender } from './flush-request-sender.js';

/** Timeouts and limits of requests that wait for positions (`wait_for`). */
export interface ConsistencyLimits {
  /** Milliseconds until a request is answered 504 because the consumer group has not committed past its position. */
  timeoutMs: number;
  /** Milliseconds until a stream that is unknown to this process is answered 404. */
  unknownStreamMs: number;
  pollMs: number;
  /** Limit of positions that all requests together wait for. */
  maxWaiters: number;
}

/** Injection token of `ConsistencyLimits` that differ from the defaults. */
export const CONSISTENCY_BOUNDS = Symbol('ConsistencyLimits');

const defaults = { timeoutMs: limits.waitForMs, unknownStreamMs: 2000, pollMs: 20, maxWaiters: 1000 };

const waitForWaiting = gauge('tributary_wait_for_waiting', {
  help: 'Positions of the log that queries wait for now (wait_for).',
});

export const consistencyProblems = defineProblems({
  not_yet_materialized: { status: 504, title: 'The position cannot be queried yet' },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof consistencyProblems> {}
}

/**
 * Read your own writes: waits until a consumer group has committed past given positions. Events can be queried once the
 * materializer's group has passed them; a projection includes them once the group of its generation has. Polls the
 * committed offsets, with one request at a time per topic.
 */
@Injectable()
export class ConsistencyTokenWaiter {
  private readonly watches = new Map<string, CommittedOffsetsWatch>();
  private readonly bounds: ConsistencyLimits;
  private waiting = 0;

  constructor(
    @Inject(LOG) private readonly log: { admin: Pick<TopicAdmin, 'committed'> },
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream' | 'onChange'>,
    private readonly topics: TopicAndGroupNames,
    @Inject(FLUSHES) private readonly flushes: FlushRequestSender,
    @Inject(CONSISTENCY_BOUNDS) bounds: Partial<ConsistencyLimits> = {},
  ) {
    this.bounds = { ...defaults, ...bounds };
  }

  /**
   * Resolves when the group has committed past every position. Default: the materializer's group.
   * @throws ProblemError 404 `stream_not_found`, 400 for a partition that the stream does not have, 504
   * `not_yet_materialized`, 503 `log_unavailable`, 503 `overloaded` when too many positions are awaited
   * @throws the signal's reason when the client disconnects
   */
  async reached(
    positions: readonly ConsistencyToken[],
    client: AbortSignal,
    group = this.topics.materializerGroup,
  ): Promise<void> {
    if (positions.length === 0) return;
    if (this.waiting + positions.length > this.bounds.maxWaiters)
      throw new ProblemError('overloaded', 'Too many requests wait for positions.', { retryAfterSeconds: 1 });
    this.waiting += positions.length;
    waitForWaiting.set(this.waiting);
    const stop = new AbortController();
    setMaxListeners(positions.length * 2, stop.signal);
    const gone = () => stop.abort(client.reason);
    client.addEventListener('abort', gone);
    const timer = setTimeout(() => stop.abort(notYet()), this.bounds.timeoutMs);
    try {
      client.throwIfAborted();
      await Promise.all(positions.map((position) => this.reachedOne(position, group, stop.signal)));
    } catch (error) {
      if (!(error instanceof LogUnavailableError)) throw error;
      const detail = 'Cannot verify that the awaited positions can be queried: Kafka cannot be reached.';
      throw new ProblemError('log_unavailable', detail, { retryAfterSeconds: 2, cause: error });
    } finally {
      clearTimeout(timer);
      client.removeEventListener('abort', gone);
      stop.abort();
      this.waiting -= positions.length;
      waitForWaiting.set(this.waiting);
    }
  }

  private async reachedOne(position: ConsistencyToken, group: string, signal: AbortSignal): Promise<void> {
    const { stream, partition } = position;
    const withinMs = this.bounds.unknownStreamMs;
    const definition = await awaitStream(this.definitions, stream, { withinMs, signal });
    if (definition?.state !== 'live')
      throw waitForProblem('stream_not_found', `There is no stream ${JSON.stringify(stream)}.`);
    const { id, partitions } = definition;
    if (partition >= partitions) {
      const detail = `The stream ${stream} has the partitions 0 to ${partitions - 1}, not ${partition}.`;
      throw waitForProblem('invalid_request', detail);
    }
    const topic = this.topics.ofStream(id);
    const key = `${group} ${topic}`;
    try {
      await this.watchOf(key, group, topic).passed(position, signal);
    } finally {
      // Projections get new generations, and so new groups. The watches of the materializer's group remain, one per
      // stream, because their last polled offsets answer later requests at once.
      if (group !== this.topics.materializerGroup && this.watches.get(key)?.size === 0)
        this.watches.delete(key);
    }
  }

  private watchOf(key: string, group: string, topic: string): CommittedOffsetsWatch {
    const known = this.watches.get(key);
    if (known) return known;
    const { admin } = this.log;
    const { pollMs } = this.bounds;
    const flush = () => this.flushes.ask({ group, topic });
    const watch = new CommittedOffsetsWatch({ admin, topic, group, pollMs, flush });
    if (this.watches.size >= limits.streams) this.forgetUnused();
    this.watches.set(key, watch);
    return watch;
  }

  private forgetUnused(): void {
    for (const [key, { size }] of this.watches) if (size === 0) this.watches.delete(key);
  }
}

function notYet(): ProblemError {
  const detail = 'A position of wait_for cannot be queried yet, or does not exist.';
  return waitForProblem('not_yet_materialized', detail, 'was not reached in time');
}

function waitForProblem(
  code: 'not_yet_materialized' | 'stream_not_found' | 'invalid_request',
  detail: string,
  reason = detail,
): ProblemError {
  return new ProblemError(code, detail, { errors: [{ pointer: 'wait_for', detail: reason }] });
}

/**
 * Resolves with the definition of a stream. Waits up to `withinMs` milliseconds for a stream that another process has
 * just created, and resolves with undefined when it remains unknown. Rejects with the signal's reason.
 */
export function awaitStream(
  definitions: Pick<Definitions, 'stream' | 'onChange'>,
  stream: string,
  { withinMs, signal }: { withinMs: number; signal: AbortSignal },
): Promise<StreamDefinition | undefined> {
  const known = definitions.stream(stream);
  if (known) return Promise.resolve(known);
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  return new Promise((resolve, reject) => {
    const settle = (action: () => void) => {
      clearTimeout(timer);
      removeListener();
      signal.removeEventListener('abort', aborted);
      action();
    };
    const aborted = () => settle(() => reject(signal.reason as Error));
    const timer = setTimeout(() => settle(() => resolve(undefined)), withinMs);
    const removeListener = definitions.onChange(() => {
      const found = definitions.stream(stream);
      if (found) settle(() => resolve(found));
    });
    signal.addEventListener('abort', aborted);
  });
}
