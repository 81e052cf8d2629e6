import { Inject, Injectable } from '@nestjs/common';
import { permitsStream, type StreamAccess } from '#api';
import { pipelineStreams, type Definitions, type PipelineDefinition, type PipelineWay } from '#registry';
import { DEFINITIONS } from '../adapters/adapters.js';
import { VisibleDefinitions } from '../definitions/visible-definitions.js';

type AskedProjections = Pick<Definitions['projections'], 'get'>;

/**
 * Whether all that a pipeline reads, asks projections about and writes to may be seen. Where a projection is gone, nobody
 * knows what it folded: then only those see the pipeline who are not limited to streams.
 */
export function permitsPipeline(
  { spec }: PipelineWay,
  access: StreamAccess,
  projections: AskedProjections,
): boolean {
  const { streams, isComplete } = pipelineStreams(spec, projections);
  if (!isComplete && access.patterns !== undefined) return false;
  return [...streams].every((stream) => permitsStream(access, stream));
}

/** The pipelines that callers see. */
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
