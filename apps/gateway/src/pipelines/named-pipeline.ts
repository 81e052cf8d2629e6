import { permitsStream, ProblemError, type StreamAccess } from '#contracts';
import { pipelineWrites, type PipelineDefinition, type PipelineWay } from '#definitions';
import { requirePermitted } from '../access/permit.js';

/**
 * The pipeline that was named, for a request that may see it.
 * @throws ProblemError 404 `pipeline_not_found`, 403 `stream_forbidden`
 */
export function permittedPipeline(
  definition: PipelineDefinition | undefined,
  access: StreamAccess,
): PipelineDefinition {
  if (!definition) {
    const detail = 'There is no such pipeline; GET /api/v1/pipelines lists those there are.';
    throw new ProblemError('pipeline_not_found', detail);
  }
  requirePermitted(access, streamsOf(definition), { pointer: 'name' });
  return definition;
}

/** Whether all that a pipeline reads and writes may be seen. */
export function permitsPipeline(access: StreamAccess, pipeline: PipelineWay): boolean {
  return streamsOf(pipeline).every((stream) => permitsStream(access, stream));
}

function streamsOf({ spec }: PipelineWay): string[] {
  return [...new Set([...spec.source.streams, ...pipelineWrites(spec)])];
}
