import type { JsonObjectReader } from '../resources/json-object-reader.js';
import { UnreadableDefinitionError } from '../resources/resource-kind.js';
import { readSourceStreamsWithStartOffsets, readSourceFilter } from '../sources/read-source.js';
import { projectionLimits, type ProjectionGeneration, type ProjectionSpec } from './projection-definition.js';

const idPattern = /^[0-9a-f]{24}$/;

/** Reads a generation of a projection strictly, without compiling its expressions. @throws UnreadableDefinitionError */
export function readGeneration(fields: JsonObjectReader): ProjectionGeneration {
  const id = fields.text('id');
  if (!idPattern.test(id)) throw new UnreadableDefinitionError('id is not 24 hexadecimal digits');
  const spec = readSpec(fields.fields('spec'));
  return {
    id,
    version: fields.count('version'),
    spec,
    sources: readSourceStreamsWithStartOffsets(fields.fields('sources'), spec.source.streams),
    started_at: fields.time('started_at'),
  };
}

function readSpec(fields: JsonObjectReader): ProjectionSpec {
  return {
    source: readSourceFilter(fields.fields('source'), projectionLimits.streams),
    ...fields.optional('key', (member) => fields.text(member)),
    fields: fields.fields('fields').map((field) => ({
      op: field.text('op'),
      ...field.optional('value', (member) => field.text(member)),
    })),
    from: fields.oneOf('from', ['beginning', 'now']),
  };
}
