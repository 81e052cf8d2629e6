import type { Fields } from '../kind/fields.js';
import { UnreadableDefinitionError } from '../kind/kind-rules.js';
import { readRunSources, readSourceFilter } from '../sources/read-source.js';
import { projectionLimits, type ProjectionBuild, type ProjectionSpec } from './projection-definition.js';

const idPattern = /^[0-9a-f]{24}$/;

/** Reads a generation of a projection strictly, without compiling its expressions. @throws UnreadableDefinitionError */
export function readBuild(fields: Fields): ProjectionBuild {
  const id = fields.text('id');
  if (!idPattern.test(id)) throw new UnreadableDefinitionError('id is not 24 hexadecimal digits');
  const spec = readSpec(fields.fields('spec'));
  return {
    id,
    version: fields.count('version'),
    spec,
    sources: readRunSources(fields.fields('sources'), spec.source.streams),
    started_at: fields.time('started_at'),
  };
}

function readSpec(fields: Fields): ProjectionSpec {
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
