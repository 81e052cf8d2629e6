import { isStreamIdOf, streamNameOf, streamNamePattern, type StreamId } from '#event';
import type { JsonObjectReader } from '../resources/json-object-reader.js';
import { UnreadableDefinitionError } from '../resources/resource-kind.js';
import type { SourceStreamWithStartOffsets } from './source-stream-with-start-offsets.js';

/**
 * Parses the source of a projection or pipeline spec: its streams, event types and condition. @throws
 * UnreadableDefinitionError
 */
export function readSourceFilter(
  fields: JsonObjectReader,
  mostStreams: number,
): { streams: string[]; event_types?: string[]; where?: string } {
  return {
    streams: readStreams(fields.texts('streams'), mostStreams),
    ...fields.optional('event_types', (member) => fields.texts(member)),
    ...fields.optional('where', (member) => fields.text(member)),
  };
}

function readStreams(streams: string[], most: number): string[] {
  const { length } = streams;
  if (length < 1 || length > most || new Set(streams).size < length)
    throw new UnreadableDefinitionError(`streams are not 1 to ${most} distinct names`);
  if (!streams.every((stream) => streamNamePattern.test(stream)))
    throw new UnreadableDefinitionError('streams contains an invalid stream name');
  return streams;
}

/**
 * Parses the source bindings of a projection's generation or a pipeline's job, one for each of `streams`. @throws
 * UnreadableDefinitionError
 */
export function readSourceStreamsWithStartOffsets(
  fields: JsonObjectReader,
  streams: readonly string[],
): Record<string, SourceStreamWithStartOffsets> {
  const sources = fields.map((source) => ({
    id: readId(source.text('id')),
    ...source.optional('starts', (member) => readOffsets(source.list(member))),
  }));
  const known = Object.keys(sources);
  if (known.length !== streams.length || !streams.every((stream) => known.includes(stream)))
    throw new UnreadableDefinitionError('sources do not match the streams');
  return sources;
}

function readId(id: string): StreamId {
  if (isStreamIdOf(streamNameOf(id), id)) return id;
  throw new UnreadableDefinitionError('id is not a stream id');
}

function readOffsets(values: unknown[]): number[] {
  if (!values.every((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0))
    throw new UnreadableDefinitionError('starts are not offsets');
  return values;
}
