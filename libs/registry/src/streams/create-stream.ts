import { limits, streamNamePattern } from '#event';
import { ProblemError } from '#api';
import { timeNow } from '../audit/audit-event.js';
import type { CreatedStream, NewStream } from '../definitions.js';
import type { Actor } from '../kind.js';
import type { StreamDefinition } from './stream-definition.js';
import { beingDeleted, collision, streamProblem } from './stream-problems.js';
import { retentionConfig, streamTopicSettings } from './stream-topic.js';
import type { StreamParts } from './stream-parts.js';

/** How long whoever made the topic may take to announce it before someone else does. */
const announcementMs = 1_000;

/**
 * Makes a stream: its topic first, then the announcement. Whoever makes the topic announces it; who finds it there
 * waits for the announcement, and makes up for it when it does not come (a crash in between).
 */
export async function createStream(
  parts: StreamParts,
  wanted: NewStream,
  actor: Actor,
): Promise<CreatedStream> {
  try {
    check(parts, wanted);
    return await create(parts, wanted, actor);
  } catch (error) {
    throw streamProblem(error, wanted.stream);
  }
}

async function create(parts: StreamParts, wanted: NewStream, actor: Actor): Promise<CreatedStream> {
  const { kind, log, names, defaults } = parts;
  const { stream, retention = 'unlimited', snapshot_every } = wanted;
  const topic = names.ofStream(stream);
  const partitions = wanted.partitions ?? defaults.partitions;
  const made = await log.admin.create(topic, streamTopicSettings(partitions, retention));
  const announced = made ? undefined : await appears(parts, stream);
  if (announced) return { definition: announced, created: false };
  const actual = made ? partitions : ((await log.admin.partitions(topic)) ?? partitions);
  const definition: StreamDefinition = {
    ...{ stream, partitions: actual, retention },
    ...(snapshot_every !== undefined && { snapshot_every }),
    created_at: timeNow(),
    state: 'live',
  };
  const { value, changed } = await kind.change(
    stream,
    (current) => alone(current, stream) ?? definition,
    actor,
  );
  if (value?.stream !== stream) throw collision(stream);
  if (!made) await log.admin.configure(topic, retentionConfig(value.partitions, value.retention));
  return { definition: value, created: changed };
}

/** @throws ProblemError when this name has been given away, or is being deleted */
function alone(current: StreamDefinition | undefined, stream: string): StreamDefinition | undefined {
  if (current && current.stream !== stream) throw collision(stream);
  if (current?.state === 'deleting') throw beingDeleted(stream);
  return current;
}

/** Resolves with the definition once the view has it, with undefined when that takes too long. */
function appears({ kind, onChange }: StreamParts, stream: string): Promise<StreamDefinition | undefined> {
  const known = kind.get(stream);
  if (known) return Promise.resolve(known);
  return new Promise((resolve) => {
    const finish = (found: StreamDefinition | undefined): void => {
      clearTimeout(timer);
      remove();
      resolve(found);
    };
    const timer = setTimeout(() => finish(undefined), announcementMs);
    const remove = onChange(() => {
      const found = kind.get(stream);
      if (found) finish(found);
    });
  });
}

function check({ kind }: StreamParts, { stream, partitions }: NewStream): void {
  if (!streamNamePattern.test(stream)) {
    throw new ProblemError('invalid_request', `The name of a stream must match ${streamNamePattern.source}.`);
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
