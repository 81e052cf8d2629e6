import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { ProblemError } from '#api';
import { isStreamIdOf, limits, streamNamePattern, topicCollisionKey, type StreamId } from '#event';
import { oneRecord } from '../resources/one-record.js';
import { IsCount, IsStreamId, IsTime, IsWholeNumber, NestedOr } from '../resources/record-members.js';
import { UnreadableDefinitionError, type ResourceRules } from '../resources/resource-kind.js';
import { streamNotFound } from './stream-problems.js';

/** Limits of a stream's topic: `time` as a duration such as `7d`, `bytes` over all partitions. */
class StreamRetentionLimits {
  @IsOptional() @IsString() time?: string;
  @IsOptional() @IsCount() bytes?: number;
}

/** The definition of a stream, as stored in the definitions topic. */
export class StreamDefinition {
  @Matches(streamNamePattern) stream: string;
  /** Distinguishes this stream from every other one with its name. The stream's topic and rows are named by this id. */
  @IsStreamId() id: StreamId;
  /** Has no upper limit here: an existing topic may have more partitions than a request may ask for. */
  @IsCount() partitions: number;
  @NestedOr('unlimited', () => StreamRetentionLimits) retention: 'unlimited' | StreamRetentionLimits;
  /**
   * Number of versions of an entity between two automatic snapshots; 0 disables them. Default: `limits.snapshotEvery`.
   */
  @IsOptional() @IsWholeNumber() snapshot_every?: number;
  /**
   * The stream's partitions are spread over this many of the store's first shards. Absent until the first of them is stored in a
   * cluster: shards that are added later get partitions of later streams only.
   */
  @IsOptional() @IsCount() shards?: number;
  /** Time of creation, as RFC 3339. */
  @IsTime() created_at: string;
  /**
   * `creating`: the topic may not exist yet, and the stream is not visible. `deleting`: nobody can write to the stream
   * or read it, and its topic and its rows are being removed.
   */
  @IsIn(['creating', 'live', 'deleting']) state: 'creating' | 'live' | 'deleting';
}

/**
 * Rules of streams. Two names that Kafka cannot distinguish have the same identity, so only one of the two streams can
 * exist. Each record contains the whole definition of a stream:
 * `{"stream":"orders","id":"orders#0k3v9x2m1q","partitions":8,"retention":"unlimited","created_at":"…","state":"live"}`.
 */
export const streamRules: ResourceRules<StreamDefinition> = {
  kind: 'stream',
  most: limits.streams,
  full: () => new ProblemError('stream_limit_reached', `The limit of ${limits.streams} streams is reached.`),
  ...oneRecord(StreamDefinition, {
    nameOf: ({ stream }) => stream,
    identityOf: topicCollisionKey,
    requireConsistent: ({ stream, id }) => {
      if (!isStreamIdOf(stream, id)) throw new UnreadableDefinitionError('id is not an id of the stream');
    },
  }),
  eventType: (before, after) => {
    const [was, is] = [visibleStream(before), visibleStream(after)];
    if (!was) return is && 'stream.created';
    if (!is) return 'stream.deleted';
    if (was.shards !== is.shards) return undefined;
    return was.state === is.state ? 'stream.changed' : 'stream.deletion_begun';
  },
  redact: visibleStream,
};

/** Returns the stream definition as callers see it: undefined while the stream is being created. */
export function visibleStream(stream: StreamDefinition | undefined): StreamDefinition | undefined {
  return stream?.state === 'creating' ? undefined : stream;
}

/**
 * Returns the stream definition if it has exactly this name. A lookup may return the definition of another name that
 * Kafka cannot distinguish from this one.
 * @throws ProblemError stream_not_found
 */
export function requireStream(current: StreamDefinition | undefined, name: string): StreamDefinition {
  if (current?.stream === name) return current;
  throw streamNotFound(name);
}
