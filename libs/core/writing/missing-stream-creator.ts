import { ProblemError } from '#api';
import type { TopicAndGroupNames } from '#event';
import type { Actor, Definitions, StreamDefinition } from '#registry';
// Defines problems that this file uses.
import '#registry';
import { EventRejection } from './rejection.js';

/**
 * Maximum number of streams that this process creates at the same time, over all requests. Streams that are created at
 * the same time share requests to Kafka.
 */
const concurrency = 64;
/** Maximum number of stream creations that wait; a request that needs one more gets 503. */
const mostWaiting = 256;
/** Maximum number of streams that one request may create by writing to them. */
const mostNew = 100;

/** How the missing streams of one write request are created. */
interface StreamAutoCreationContext {
  /** True if no stream is created when it is known beforehand that one of them cannot be. */
  atomic: boolean;
  /** Connection of the client: after a disconnect no further stream is created. */
  client: { readonly destroyed: boolean };
  /** Actor that creates the streams, for the audit. */
  actor: Actor;
  /** Returns the existing stream that a misspelt name may mean. */
  similarTo?: (stream: string) => string | undefined;
  /** Receives a warning for each created stream whose name is similar to that of an existing one. */
  warn?: (warning: string) => void;
}

/** Creates missing streams before events are written to them, and returns the topics of streams. */
export class MissingStreamCreator {
  private readonly creations = new Map<string, Promise<void>>();
  /** The topic name of each stream definition, cached so that all records share one string object. */
  private readonly names = new WeakMap<StreamDefinition, string>();
  private readonly waiting: (() => void)[] = [];
  private creating = 0;

  constructor(
    private readonly definitions: Definitions,
    private readonly topics: TopicAndGroupNames,
    private readonly autoCreate: boolean,
  ) {}

  /** Returns the topic of a stream; undefined if the stream does not exist or is being deleted. */
  topicOf(name: string): string | undefined {
    const definition = this.definitions.stream(name);
    if (definition?.state !== 'live') return undefined;
    let topic = this.names.get(definition);
    if (topic === undefined) this.names.set(definition, (topic = this.topics.ofStream(definition.id)));
    return topic;
  }

  /**
   * Creates missing streams, up to 100. Resolves with the streams that cannot be written to, and their rejections.
   * @throws ProblemError `log_unavailable`, `overloaded`, or `request_timeout` when the client has disconnected
   */
  async ensure(
    streams: ReadonlySet<string>,
    options: StreamAutoCreationContext,
  ): Promise<Map<string, EventRejection>> {
    const missing = [...streams].filter((stream) => !this.isLive(stream));
    // Names are compared before the streams are created: one of them may be similar to another.
    const similar = new Map(
      missing.map((stream, i) => [stream, i < mostNew ? options.similarTo?.(stream) : undefined]),
    );
    const rejections = this.refusedBeforehand(similar);
    if (options.atomic && rejections.size > 0) return rejections;
    const permitted = missing.filter((stream) => !rejections.has(stream));
    for (let i = 0; i < permitted.length; i += concurrency) {
      if (options.client.destroyed) throw clientGone();
      await this.createAll(permitted.slice(i, i + concurrency), {
        refused: rejections,
        actor: options.actor,
      });
    }
    for (const stream of permitted) {
      const name = similar.get(stream);
      if (name !== undefined && !rejections.has(stream))
        options.warn?.(`The stream ${stream} did not exist and was created. Did you mean ${name}?`);
    }
    return rejections;
  }

  private isLive(stream: string): boolean {
    return this.definitions.stream(stream)?.state === 'live';
  }

  /** @param missing The missing streams, each with the existing stream that it may mean. */
  private refusedBeforehand(missing: ReadonlyMap<string, string | undefined>): Map<string, EventRejection> {
    const refused = new Map<string, EventRejection>();
    let created = 0;
    for (const [stream, similar] of missing) {
      if (this.definitions.stream(stream)) refused.set(stream, beingDeleted(stream));
      else if (!this.autoCreate) refused.set(stream, notCreated(stream, similar));
      else if (++created > mostNew) refused.set(stream, tooManyNew(stream));
    }
    return refused;
  }

  private async createAll(
    streams: readonly string[],
    { refused, actor }: { refused: Map<string, EventRejection>; actor: Actor },
  ): Promise<void> {
    const outcomes = await Promise.allSettled(streams.map((stream) => this.create(stream, actor)));
    outcomes.forEach((outcome, i) => {
      if (outcome.status === 'rejected') refused.set(streams[i]!, rejectionOf(outcome.reason));
    });
  }

  private create(stream: string, actor: Actor): Promise<void> {
    let creation = this.creations.get(stream);
    if (!creation) {
      creation = this.createOnce(stream, actor).finally(() => this.creations.delete(stream));
      this.creations.set(stream, creation);
    }
    return creation;
  }

  private async createOnce(stream: string, actor: Actor): Promise<void> {
    await this.enter();
    try {
      await this.definitions.createStream({ stream }, actor);
    } finally {
      this.leave();
    }
  }

  private async enter(): Promise<void> {
    if (this.creating < concurrency) {
      this.creating++;
      return;
    }
    if (this.waiting.length >= mostWaiting)
      throw new ProblemError('overloaded', 'Too many streams are being created at once.');
    await new Promise<void>((resolve) => this.waiting.push(resolve));
  }

  /** Lets the stream creation start that has waited longest, if any. */
  private leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.creating--;
  }
}

function notCreated(stream: string, similar: string | undefined): EventRejection {
  const question = similar === undefined ? '' : ` Did you mean ${similar}?`;
  return new EventRejection(
    'stream_not_found',
    `There is no stream ${stream}, and writes do not create streams here: create it with POST /api/v1/streams.${question}`,
  );
}

function beingDeleted(stream: string): EventRejection {
  const detail = `The stream ${stream} is being deleted. When that is done, its name can be used again.`;
  return new EventRejection('stream_being_deleted', detail);
}

function tooManyNew(stream: string): EventRejection {
  const detail = `One request can create at most ${mostNew} streams: ${stream} was not created.`;
  return new EventRejection('invalid_request', detail);
}

function clientGone(): ProblemError {
  return new ProblemError('request_timeout', 'The connection ended before the streams were created.');
}

/**
 * Returns the rejection if the error concerns one stream only. Throws an error that concerns the whole request, such as
 * one of the log.
 */
function rejectionOf(reason: unknown): EventRejection {
  if (reason instanceof ProblemError && !reason.retryable)
    return new EventRejection(reason.code, reason.message);
  throw reason;
}
