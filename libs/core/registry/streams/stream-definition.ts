import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { streamNamePattern, type StreamId } from '#event';
import { IsCount, IsStreamId, IsTime, IsWholeNumber, NestedOr } from '../resources/record-members.js';

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
  /** Time of creation, as RFC 3339. */
  @IsTime() created_at: string;
  /**
   * `creating`: the topic may not exist yet, and the stream is not visible. `deleting`: nobody can write to the stream
   * or read it, and its topic and its rows are being removed.
   */
  @IsIn(['creating', 'live', 'deleting']) state: 'creating' | 'live' | 'deleting';
}
