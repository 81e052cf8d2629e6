import { IsArray, IsOptional, IsString, Matches } from 'class-validator';
import { streamNamePattern, type StreamId } from '#event';
import { IsStreamId, IsTime, IsWholeNumber, MapOf, rule } from '../resources/record-members.js';
import { UnreadableDefinitionError } from '../resources/resource-kind.js';
import type { StreamDefinition } from './stream-definition.js';

/** Where a projection or pipeline starts in its streams: at their first event, or at their end. */
export const startPositions = ['beginning', 'now'] as const;

/** The most source streams of one projection or pipeline. */
export const mostSourceStreams = 20;

const AreSourceStreams = rule(
  'areSourceStreams',
  (value) =>
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= mostSourceStreams &&
    new Set(value).size === value.length &&
    value.every(isStreamName),
);

const isStreamName = (name: unknown) => typeof name === 'string' && streamNamePattern.test(name);

/**
 * The events that a projection or pipeline reads, as records contain them. Requests obey more rules, such as the length
 * of a condition, which an older record need not obey.
 */
export class SourceFilter {
  /** Names of the streams, each once. */
  @IsArray() @IsString({ each: true }) @AreSourceStreams() streams: readonly string[];
  @IsOptional() @IsArray() @IsString({ each: true }) event_types?: readonly string[];
  /** A CEL condition on `event`. */
  @IsOptional() @IsString() where?: string;
}

/**
 * A stream that a projection's generation or a pipeline's job reads, with its start offsets. The stream is identified
 * by its id, so a later stream with the same name is not read.
 */
export class SourceStreamWithStartOffsets {
  /** Id of the stream. */
  @IsStreamId() id: StreamId;
  /** Start offset of each partition, by partition number; absent if reading begins at the first offset. */
  @IsOptional() @IsArray() @IsWholeNumber({ each: true }) starts?: readonly number[];
}

/**
 * One job of a pipeline, or one run of a subscription. The id of a job names its own consumer group, checkpoints, state
 * entries and internal topics. Events that different jobs emit have different ids.
 */
export class JobIdAndStartOffsets {
  /** Its id: 24 random hexadecimal digits. */
  @Matches(/^[0-9a-f]{24}$/) id: string;
  /** The id and start offsets of each stream that the current spec reads, by stream name. */
  @MapOf(() => SourceStreamWithStartOffsets)
  sources: Readonly<Record<string, SourceStreamWithStartOffsets>>;
  /** Its start time, as RFC 3339. */
  @IsTime() started_at: string;
}

/**
 * Checks that a projection's generation or a pipeline's job has one source for each stream of its spec.
 * @throws UnreadableDefinitionError
 */
export function requireSourceOfEachStream(sources: object, streams: readonly string[]): void {
  const names = Object.keys(sources);
  if (names.length !== streams.length || !streams.every((stream) => names.includes(stream)))
    throw new UnreadableDefinitionError('sources do not match the streams');
}

/** A projection's generation or a pipeline's job: its streams, with their ids when it was defined. */
interface Reader {
  sources: Readonly<Record<string, SourceStreamWithStartOffsets>>;
}

interface Streams {
  stream(name: string): StreamDefinition | undefined;
}

/** Returns the definitions of the reader's streams that were not deleted since the reader was defined. */
export function liveSources({ sources }: Reader, definitions: Streams): StreamDefinition[] {
  return Object.entries(sources).flatMap(([name, { id }]) => {
    const stream = definitions.stream(name);
    return stream?.state === 'live' && stream.id === id ? [stream] : [];
  });
}

/**
 * Returns the name of one of the streams that was deleted and created again since its reader (a projection or pipeline)
 * was defined; undefined if there is none. A reader that continues would skip every event of the new stream.
 */
export function recreatedSource(
  streams: Iterable<string>,
  { sources }: Reader,
  definitions: Streams,
): string | undefined {
  return [...streams].find((name) => {
    const [read, stream] = [sources[name], definitions.stream(name)];
    return read && stream?.state === 'live' && stream.id !== read.id;
  });
}
