import { pipelineLimits, type OperatorJson, type PipelineSpec } from '#dataflow';
import type { JsonObjectReader } from '../resources/json-object-reader.js';
import { UnreadableDefinitionError } from '../resources/resource-kind.js';
import { readSourceStreamsWithStartOffsets, readSourceFilter } from '../sources/read-source.js';
import type { JobIdAndStartOffsets } from './pipeline-definition.js';

const idPattern = /^[0-9a-f]{24}$/;

/**
 * Reads the spec of a pipeline. The operators are validated later, when the pipeline is compiled.
 * @throws UnreadableDefinitionError
 */
export function readPipelineSpec(fields: JsonObjectReader): PipelineSpec {
  const source = fields.fields('source');
  return {
    source: {
      ...readSourceFilter(source, pipelineLimits.streams),
      ...source.optional('idle_after', (member) => source.text(member)),
    },
    operators: readOperators(fields.list('operators')),
    from: fields.oneOf('from', ['beginning', 'now']),
  };
}

function readOperators(operators: unknown[]): OperatorJson[] {
  for (const operator of operators) {
    if (typeof operator !== 'object' || operator === null || Object.keys(operator).length !== 1)
      throw new UnreadableDefinitionError('operators contains a value that is not an operator');
  }
  return operators as OperatorJson[];
}

/** Reads the job of a pipeline. @throws UnreadableDefinitionError */
export function readPipelineJob(fields: JsonObjectReader, streams: readonly string[]): JobIdAndStartOffsets {
  const id = fields.text('id');
  if (!idPattern.test(id)) throw new UnreadableDefinitionError('id is not 24 hexadecimal digits');
  return {
    id,
    sources: readSourceStreamsWithStartOffsets(fields.fields('sources'), streams),
    started_at: fields.time('started_at'),
  };
}
