import { setMaxListeners } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, LOG } from '#app';
import { limits, TopicAndGroupNames } from '#event';
import { ProblemError } from '#api';
import type { Definitions, StreamDefinition } from '#registry';
import { LogUnavailableError, type TopicAdmin } from '#kafka';
import { CONSISTENCY_BOUNDS } from './consistency-limits.js';
import { FLUSHES } from './flush-request-sender.js';
import type { FlushRequestSender } from './flush-request-sender.js';
import { awaitStream } from './await-stream.js';
import { CommittedOffsetsWatch } from './committed-watch.js';
import type { ConsistencyLimits } from './consistency-limits.js';
import type { ConsistencyToken } from './position.js';
import { waitForWaiting } from './consistency-metrics.js';
import './consistency-problems.js';

const defaults = { timeoutMs: limits.waitForMs, unknownStreamMs: 2000, pollMs: 20, maxWaiters: 1000 };

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
    if (this.waiting + positions.length > this.bounds.maxWaiters) throw tooMany();
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
      throw logProblem(error);
    } finally {
      clearTimeout(timer);
      client.removeEventListener('abort', gone);
      stop.abort();
      this.waiting -= positions.length;
      waitForWaiting.set(this.waiting);
    }
  }

  private async reachedOne(position: ConsistencyToken, group: string, signal: AbortSignal): Promise<void> {
    const withinMs = this.bounds.unknownStreamMs;
    const definition = await awaitStream(this.definitions, position.stream, { withinMs, signal });
    if (definition?.state !== 'live') throw notFound(position.stream);
    if (position.partition >= definition.partitions) throw noSuchPartition(position, definition);
    const topic = this.topics.ofStream(definition.id);
    const key = `${group} ${topic}`;
    await this.watchOf(key, group, topic)
      .passed(position, signal)
      .finally(() => this.letGo(key, group));
  }

  private watchOf(key: string, group: string, topic: string): CommittedOffsetsWatch {
    const known = this.watches.get(key);
    if (known) return known;
    const { admin } = this.log;
    const { pollMs } = this.bounds;
    const flush = () => this.flushes.ask({ group, topic });
    const made = new CommittedOffsetsWatch({ admin, topic, group, pollMs, flush });
    if (this.watches.size >= limits.streams) this.forgetUnused();
    this.watches.set(key, made);
    return made;
  }

  /**
   * Removes the watch of a projection generation's consumer group when no request waits for it, because projections get
   * new generations. The watches of the materializer's group remain, one per stream, because their last polled offsets
   * answer later requests at once.
   */
  private letGo(key: string, group: string): void {
    if (group === this.topics.materializerGroup) return;
    if (this.watches.get(key)?.size === 0) this.watches.delete(key);
  }

  private forgetUnused(): void {
    for (const [key, { size }] of this.watches) if (size === 0) this.watches.delete(key);
  }
}

function logProblem(error: unknown): unknown {
  if (!(error instanceof LogUnavailableError)) return error;
  const detail = 'Cannot verify that the awaited positions can be queried: Kafka cannot be reached.';
  return new ProblemError('log_unavailable', detail, { retryAfterSeconds: 2, cause: error });
}

function tooMany(): ProblemError {
  return new ProblemError('overloaded', 'Too many requests wait for positions.', { retryAfterSeconds: 1 });
}

function notYet(): ProblemError {
  return new ProblemError(
    'not_yet_materialized',
    'A position of wait_for cannot be queried yet, or does not exist.',
    { errors: [{ pointer: 'wait_for', detail: 'was not reached in time' }] },
  );
}

function notFound(stream: string): ProblemError {
  const detail = `There is no stream ${JSON.stringify(stream)}.`;
  return new ProblemError('stream_not_found', detail, { errors: [{ pointer: 'wait_for', detail }] });
}

function noSuchPartition(position: ConsistencyToken, { partitions }: StreamDefinition): ProblemError {
  const detail = `The stream ${position.stream} has the partitions 0 to ${partitions - 1}, not ${position.partition}.`;
  return new ProblemError('invalid_request', detail, { errors: [{ pointer: 'wait_for', detail }] });
}
