import { isDeepStrictEqual } from 'node:util';
import { auditStream, ProblemError, type StreamInput } from '#api';
import { limits, newStreamId, streamNamePattern, type StreamId, type TopicAndGroupNames } from '#event';
import { TopicRejectedError, type Log } from '#kafka';
import { timeNow } from '../audit/audit-writer.js';
import type { LogResourceStore } from '../changes/log-resource-store.js';
import type { Erasure } from '../erasures/erasure-kind.js';
import { systemActor, type Actor, type ResourceStore } from '../resources/resource-store.js';
import { requireStream, type StreamDefinition } from './stream-definition.js';
import {
  rejectReservedName,
  streamBeingDeleted,
  streamNameCollision,
  streamProblem,
} from './stream-problems.js';
import { retentionConfig, streamTopicSettings } from './stream-topic.js';

/** The dependencies of creating, changing and deleting streams. */
export interface StreamOperationDependencies {
  log: Log;
  names: TopicAndGroupNames;
  /** Number of partitions of a stream that is created without one. */
  defaults: { partitions: number };
  streams: LogResourceStore<StreamDefinition>;
  /** Erasures, which are removed with their stream. */
  erasures: ResourceStore<Erasure>;
  /** Resolves when the view contains every record that was in the definitions topic at the time of the call. */
  upToDate: () => Promise<void>;
}

/** Result of creating a stream: its definition, and whether this request has created it. */
export interface StreamCreationResult {
  definition: StreamDefinition;
  created: boolean;
}

type Current = StreamDefinition | undefined;

/** The most streams that one process may create at a time. */
const maxCreations = 1_000;

/**
 * Creates streams on behalf of requests, and the audit stream on first use. Concurrent requests of this process for the
 * same stream share one creation.
 */
export class StreamCreator {
  private readonly running = new Map<string, Promise<StreamCreationResult>>();

  constructor(private readonly dependencies: StreamOperationDependencies) {}

  async create(input: StreamInput, actor: Actor): Promise<StreamCreationResult> {
    rejectReservedName(input.stream);
    const known = this.dependencies.streams.get(input.stream);
    if (known?.state === 'live') return { definition: known, created: false };
    return this.createOnce(input, actor);
  }

  /**
   * Returns the id of the audit stream, and creates that stream if needed. The audit stream has one partition, so that
   * its events are in the order of the changes.
   */
  async auditStream(): Promise<StreamId> {
    const known = this.dependencies.streams.get(auditStream);
    if (known?.state === 'live') return known.id;
    return (await this.createOnce({ stream: auditStream, partitions: 1 }, systemActor)).definition.id;
  }

  private async createOnce(input: StreamInput, actor: Actor): Promise<StreamCreationResult> {
    const running = this.running.get(input.stream);
    if (running) return { ...(await running), created: false };
    if (this.running.size >= maxCreations) {
      const detail = 'Too many streams are being created at once.';
      throw new ProblemError('overloaded', detail, { retryAfterSeconds: 1 });
    }
    const creation = createStream(this.dependencies, input, actor)
      .catch((error: unknown) => {
        throw streamProblem(error, input.stream);
      })
      .finally(() => this.running.delete(input.stream));
    this.running.set(input.stream, creation);
    return creation;
  }

  /** Resolves when no stream is being created. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.running.values());
  }
}

/**
 * Creates a stream in three steps: it writes the definition with the stream's id, creates the topic, and announces the
 * stream. Each step can be repeated: concurrent creators, and one that continues after a crash of another, perform the
 * same steps on the same id.
 */
async function createStream(
  { streams, log, names, defaults }: StreamOperationDependencies,
  input: StreamInput,
  actor: Actor,
): Promise<StreamCreationResult> {
  const { stream } = input;
  requireValid(input);
  requireAvailable(streams.sameAs(stream), stream);
  if (!streams.get(stream)) streams.refuseFull();
  const proposed = newDefinition(input, defaults);
  const propose = (current: Current) => requireAvailable(current, stream) ?? proposed;
  const own = requireStream((await streams.change(stream, propose, actor)).value, stream);
  if (own.state !== 'creating') return { definition: own, created: false };
  const isCreating = (current: Current) => current?.id === own.id && current.state === 'creating';
  try {
    await log.admin.create(names.ofStream(own.id), streamTopicSettings(own.partitions, own.retention));
  } catch (error) {
    // Without the definition, another request can use settings that Kafka accepts.
    if (error instanceof TopicRejectedError)
      await streams.change(stream, (current) => (isCreating(current) ? undefined : current), actor);
    throw error;
  }
  const announce = (current: Current): Current =>
    isCreating(requireAvailable(current, stream)) ? { ...own, state: 'live' } : current;
  const announced = await streams.change(stream, announce, actor);
  // Concurrent requests to create the same stream share the settings of one of them. A request with other settings
  // receives `created: false`.
  const created = own.id === proposed.id || (announced.changed && haveSameSettings(own, proposed));
  return { definition: requireStream(announced.value, stream), created };
}

/** @throws RangeError for an invalid retention */
function newDefinition(
  { stream, partitions, retention = 'unlimited', snapshot_every }: StreamInput,
  defaults: { partitions: number },
): StreamDefinition {
  const definition: StreamDefinition = {
    stream,
    id: newStreamId(stream),
    partitions: partitions ?? defaults.partitions,
    retention,
    ...(snapshot_every !== undefined && { snapshot_every }),
    created_at: timeNow(),
    state: 'creating',
  };
  retentionConfig(definition.partitions, retention);
  return definition;
}

function haveSameSettings(one: StreamDefinition, other: StreamDefinition): boolean {
  return (
    one.partitions === other.partitions &&
    one.snapshot_every === other.snapshot_every &&
    isDeepStrictEqual(one.retention, other.retention)
  );
}

/**
 * Returns `current` unchanged after two checks. `current` is the definition of this name, or of a name that Kafka cannot
 * distinguish from it (`a.b` and `a_b`).
 * @throws ProblemError if the definition belongs to a stream with another name, or if the stream is being deleted
 */
function requireAvailable(current: Current, stream: string): Current {
  if (current && current.stream !== stream) throw streamNameCollision(stream);
  if (current?.state === 'deleting') throw streamBeingDeleted(stream);
  return current;
}

function requireValid({ stream, partitions = 1 }: StreamInput): void {
  if (!streamNamePattern.test(stream))
    throw new ProblemError('invalid_request', `A stream name must match ${streamNamePattern.source}.`);
  if (!Number.isInteger(partitions) || partitions < 1 || partitions > limits.partitionsPerStream)
    throw new ProblemError('invalid_request', `partitions must be from 1 to ${limits.partitionsPerStream}.`);
}
