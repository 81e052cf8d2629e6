import { IsArray, IsOptional } from 'class-validator';
import type { StreamId } from '#event';
import { IsStreamId, IsWholeNumber } from '../resources/record-members.js';
import { UnreadableDefinitionError } from '../resources/resource-kind.js';

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
 * Checks that a projection's generation or a pipeline's job has one source for each stream of its spec.
 * @throws UnreadableDefinitionError
 */
export function requireSourceOfEachStream(sources: object, streams: readonly string[]): void {
  const names = Object.keys(sources);
  if (names.length !== streams.length || !streams.every((stream) => names.includes(stream)))
    throw new UnreadableDefinitionError('sources do not match the streams');
}
