import { streamNamePattern } from '#contracts';
import type { Fields } from '../fields.js';
import { UnreadableDefinitionError } from '../kind-rules.js';
import {
  projectionLimits,
  type BuildSource,
  type ProjectionBuild,
  type ProjectionSpec,
} from './projection-definition.js';

const idPattern = /^[0-9a-f]{24}$/;

/** Reads a build, strictly; expressions are not compiled here. @throws UnreadableDefinitionError */
export function readBuild(fields: Fields): ProjectionBuild {
  const id = fields.text('id');
  if (!idPattern.test(id)) throw new UnreadableDefinitionError('id is not 24 hexadecimal digits');
  const spec = readSpec(fields.fields('spec'));
  return {
    id,
    version: fields.count('version'),
    spec,
    sources: readSources(fields.fields('sources'), spec.source.streams),
    started_at: fields.time('started_at'),
  };
}

function readSpec(fields: Fields): ProjectionSpec {
  const source = fields.fields('source');
  return {
    source: {
      streams: readStreams(source.texts('streams')),
      ...source.optional('event_types', (member) => source.texts(member)),
      ...source.optional('where', (member) => source.text(member)),
    },
    ...fields.optional('key', (member) => fields.text(member)),
    fields: fields.fields('fields').map((field) => ({
      op: field.text('op'),
      ...field.optional('value', (member) => field.text(member)),
    })),
    from: fields.oneOf('from', ['beginning', 'now']),
  };
}

function readStreams(streams: string[]): string[] {
  const { length } = streams;
  if (length < 1 || length > projectionLimits.streams || new Set(streams).size < length)
    throw new UnreadableDefinitionError(`streams are not 1 to ${projectionLimits.streams} different ones`);
  if (!streams.every((stream) => streamNamePattern.test(stream)))
    throw new UnreadableDefinitionError('streams has what is no name of a stream');
  return streams;
}

function readSources(fields: Fields, streams: readonly string[]): Record<string, BuildSource> {
  const sources = fields.map((source) => ({
    created_at: source.time('created_at'),
    ...source.optional('starts', (member) => readOffsets(source.list(member))),
  }));
  const known = Object.keys(sources);
  if (known.length !== streams.length || !streams.every((stream) => known.includes(stream)))
    throw new UnreadableDefinitionError('sources are not those of the streams');
  return sources;
}

function readOffsets(values: unknown[]): number[] {
  if (!values.every((value): value is number => Number.isSafeInteger(value) && (value as number) >= 0))
    throw new UnreadableDefinitionError('starts are not offsets');
  return values;
}
