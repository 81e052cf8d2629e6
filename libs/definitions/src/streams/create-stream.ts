import { formatTime, limits, ProblemError, streamNamePattern, type TopicNames } from '#contracts';
import {
  LogOverloadedError,
  LogUnavailableError,
  TopicRefusedError,
  type Log,
  type Position,
  type Producer,
} from '#log';
import type { StreamDefinition } from '../definitions.js';
import type { StreamFold } from './stream-fold.js';
import { streamRecordKey, writeStreamRecord } from './stream-record.js';
import { streamTopicSettings } from './stream-topic.js';

export interface NewStream {
  stream: string;
  partitions?: number;
  retention?: StreamDefinition['retention'];
}

export interface CreatedStream {
  definition: StreamDefinition;
  created: boolean;
}

export interface CreationParts {
  log: Log;
  names: TopicNames;
  defaults: { partitions: number };
  streams: StreamFold;
  producer(): Promise<Producer>;
  /** Resolves when the view has the record at this offset of the definitions topic. */
  caughtUp(offset: number, timeoutMs: number): Promise<void>;
  /** Resolves true once the view has the stream, false after the time. */
  appears(stream: string, timeoutMs: number): Promise<boolean>;
}

const viewTimeoutMs = 10_000;
/** How long whoever made the topic may take to announce it before someone else does. */
const announcementMs = 1_000;

/**
 * Makes a stream: its topic first, then the announcement. Whoever makes the topic announces it; who finds it there
 * waits for the announcement, and makes up for it when it does not come (a crash in between).
 */
export async function createStream(parts: CreationParts, wanted: NewStream): Promise<CreatedStream> {
  const known = parts.streams.get(wanted.stream);
  if (known) return { definition: known, created: false };
  try {
    check(parts.streams, wanted);
    return await create(parts, wanted);
  } catch (error) {
    throw toProblem(error, wanted.stream);
  }
}

async function create(parts: CreationParts, wanted: NewStream): Promise<CreatedStream> {
  const { stream, retention = 'unlimited' } = wanted;
  const topic = parts.names.ofStream(stream);
  const partitions = wanted.partitions ?? parts.defaults.partitions;
  const made = await parts.log.admin.create(topic, streamTopicSettings(partitions, retention));
  if (!made && (await parts.appears(stream, announcementMs))) return winner(parts, stream);
  const actual = made ? partitions : ((await parts.log.admin.partitions(topic)) ?? partitions);
  const created_at = formatTime(Date.now() * 1000);
  const position = await announce(parts, { stream, partitions: actual, retention, created_at });
  if (parts.streams.createdBy(stream, position.offset)) return { ...winner(parts, stream), created: true };
  // Another's announcement came first. Compaction keeps the last one, so that has to say the same.
  const first = winner(parts, stream);
  await announce(parts, first.definition);
  return first;
}

async function announce(parts: CreationParts, definition: StreamDefinition): Promise<Position> {
  const producer = await parts.producer();
  const [position] = await producer.append([
    {
      topic: parts.names.definitions,
      key: streamRecordKey(definition.stream),
      value: writeStreamRecord(definition),
    },
  ]);
  if (!position) throw new LogUnavailableError('the announcement has no position');
  await parts.caughtUp(position.offset, viewTimeoutMs);
  return position;
}

function winner({ streams }: CreationParts, stream: string): CreatedStream {
  const definition = streams.get(stream);
  if (!definition) throw new LogUnavailableError('the stream was removed while it was being created');
  return { definition, created: false };
}

function check(streams: StreamFold, { stream, partitions }: NewStream): void {
  if (!streamNamePattern.test(stream)) {
    throw new ProblemError('invalid_request', `The name of a stream must match ${streamNamePattern.source}.`);
  }
  const inRange =
    partitions === undefined ||
    (Number.isInteger(partitions) && partitions >= 1 && partitions <= limits.partitionsPerStream);
  if (!inRange) {
    throw new ProblemError('invalid_request', `partitions must be from 1 to ${limits.partitionsPerStream}.`);
  }
  const other = streams.colliding(stream);
  if (other !== undefined) throw collision(stream, ` of the stream ${other}`);
  if (streams.size >= limits.streams) {
    throw new ProblemError('stream_limit_reached', `There are ${limits.streams} streams already.`);
  }
}

function collision(stream: string, other: string): ProblemError {
  return new ProblemError(
    'stream_name_collision',
    `Kafka cannot tell the name ${stream} from that${other || ' of another stream'}: it takes "." and "_" for the same.`,
  );
}

function toProblem(error: unknown, stream: string): unknown {
  if (error instanceof ProblemError) return error;
  if (error instanceof TopicRefusedError) {
    if (error.reason === 'name') return collision(stream, '');
    return new ProblemError('internal_error', "Kafka refuses the settings of the stream's topic.", {
      cause: error,
    });
  }
  if (error instanceof RangeError)
    return new ProblemError('invalid_request', error.message, { cause: error });
  if (error instanceof LogOverloadedError) {
    return new ProblemError('overloaded', 'Too much is being written at once.', {
      cause: error,
      retryAfterSeconds: 1,
    });
  }
  if (error instanceof LogUnavailableError) {
    return new ProblemError(
      'log_unavailable',
      'The stream could not be created: Kafka could not do it in time.',
      {
        cause: error,
        retryAfterSeconds: 2,
      },
    );
  }
  return error;
}
