import { isDeepStrictEqual } from 'node:util';
import { ProblemError, type StreamInput } from '#api';
import { limits, newStreamId, streamNamePattern } from '#event';
import { TopicRejectedError } from '#kafka';
import { timeNow } from '../audit/audit-event.js';
import type { StreamCreationResult } from './stream-creation-result.js';
import type { Actor } from '../resources/resource-store.js';
import type { StreamDefinition } from './stream-definition.js';
import { streamBeingDeleted, streamNameCollision, requireStream, streamProblem } from './stream-problems.js';
import { retentionConfig, streamTopicSettings } from './stream-topic.js';
import type { StreamOperationDependencies } from './stream-operation-dependencies.js';

/**
 * Creates a stream in three steps: it writes the definition with the stream's id, creates the topic, and announces the
 * stream. Each step can be repeated: concurrent creators, and one that continues after a crash of another, perform the
 * same steps on the same id.
 */
export async function createStream(
  dependencies: StreamOperationDependencies,
  wanted: StreamInput,
  actor: Actor,
): Promise<StreamCreationResult> {
  try {
    check(dependencies, wanted);
    return await create(dependencies, wanted, actor);
  } catch (error) {
    throw streamProblem(error, wanted.stream);
  }
}

async function create(
  dependencies: StreamOperationDependencies,
  wanted: StreamInput,
  actor: Actor,
): Promise<StreamCreationResult> {
  const { kind, log, names } = dependencies;
  const { stream } = wanted;
  let proposed: StreamDefinition | undefined;
  const propose = (current: StreamDefinition | undefined) =>
    alone(current, stream) ?? (proposed = begun(dependencies, wanted));
  const { value } = await kind.change(stream, propose, actor);
  const own = requireStream(value, stream);
  if (own.state !== 'creating') return { definition: own, created: false };
  try {
    await log.admin.create(names.ofStream(own.id), streamTopicSettings(own.partitions, own.retention));
  } catch (error) {
    if (error instanceof TopicRejectedError) await withdraw(dependencies, own, actor);
    throw error;
  }
  const announce = (current: StreamDefinition | undefined): StreamDefinition | undefined =>
    isCreating(alone(current, stream), own) ? { ...own, state: 'live' } : current;
  const announced = await kind.change(stream, announce, actor);
  // Concurrent requests to create the same stream share the settings of one of them. A request with other settings
  // receives `created: false`.
  const created = own.id === proposed?.id || (announced.changed && isAs(own, begun(dependencies, wanted)));
  return { definition: requireStream(announced.value, stream), created };
}

function begun({ defaults }: StreamOperationDependencies, wanted: StreamInput): StreamDefinition {
  const { stream, partitions = defaults.partitions, retention = 'unlimited', snapshot_every } = wanted;
  // Throws for invalid settings before anything is written.
  retentionConfig(partitions, retention);
  return {
    ...{ stream, id: newStreamId(stream), partitions, retention },
    ...(snapshot_every !== undefined && { snapshot_every }),
    created_at: timeNow(),
    state: 'creating',
  };
}

function isAs(stream: StreamDefinition, other: StreamDefinition): boolean {
  const settings = ({ partitions, retention, snapshot_every }: StreamDefinition) => [
    partitions,
    retention,
    snapshot_every,
  ];
  return isDeepStrictEqual(settings(stream), settings(other));
}

/** Removes the definition of a stream whose topic Kafka rejected, so that another request can use other settings. */
async function withdraw(
  { kind }: StreamOperationDependencies,
  own: StreamDefinition,
  actor: Actor,
): Promise<void> {
  const gone = (current: StreamDefinition | undefined) => (isCreating(current, own) ? undefined : current);
  await kind.change(own.stream, gone, actor);
}

function isCreating(current: StreamDefinition | undefined, { id }: StreamDefinition): boolean {
  return current?.id === id && current.state === 'creating';
}

/**
 * Returns `current` unchanged after two checks. `current` is the definition of this name, or of a name that Kafka cannot
 * distinguish from it (`a.b` and `a_b`).
 * @throws ProblemError if the definition belongs to a stream with another name, or if the stream is being deleted
 */
function alone(current: StreamDefinition | undefined, stream: string): StreamDefinition | undefined {
  if (current && current.stream !== stream) throw streamNameCollision(stream);
  if (current?.state === 'deleting') throw streamBeingDeleted(stream);
  return current;
}

function check({ kind }: StreamOperationDependencies, { stream, partitions }: StreamInput): void {
  if (!streamNamePattern.test(stream)) {
    throw new ProblemError('invalid_request', `A stream name must match ${streamNamePattern.source}.`);
  }
  const inRange =
    partitions === undefined ||
    (Number.isInteger(partitions) && partitions >= 1 && partitions <= limits.partitionsPerStream);
  if (!inRange) {
    throw new ProblemError('invalid_request', `partitions must be from 1 to ${limits.partitionsPerStream}.`);
  }
  alone(kind.sameAs(stream), stream);
  if (!kind.get(stream)) kind.refuseFull();
}
