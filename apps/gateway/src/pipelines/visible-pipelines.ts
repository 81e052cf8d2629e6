import { Inject, Injectable } from '@nestjs/common';
import { permitsStream, type StreamAccess } from '#api';
import { pipelineStreams, type Definitions, type PipelineDefinition, type LoopCandidate } from '#registry';
import { DEFINITIONS } from '../adapters/adapters.js';
import { VisibleDefinitions } from '../definitions/visible-definitions.js';

type AskedProjections = Pick<Definitions['projections'], 'get'>;

/**
 * Whether a caller may see every stream that a pipeline reads or writes, directly or through projections that it looks
 * up. The streams of a deleted projection are unknown: only callers that are not limited to streams see such a
 * pipeline.
 */
export function permitsPipeline(
  { spec }: LoopCandidate,
  access: StreamAccess,
  projections: AskedProjections,
): boolean {
  const { streams, isComplete } = pipelineStreams(spec, projections);
  if (!isComplete && access.patterns !== undefined) return false;
  return [...streams].every((stream) => permitsStream(access, stream));
}

/** The pipelines that a caller may see. */
@Injectable()
export class VisiblePipelines extends VisibleDefinitions<PipelineDefinition> {
  constructor(
    @Inject(DEFINITIONS) { pipelines, projections }: Pick<Definitions, 'pipelines' | 'projections'>,
  ) {
    super({
      what: 'pipeline',
      kind: pipelines,
      permits: (definition, access) => permitsPipeline(definition, access, projections),
    });
  }
}
