import { permitsStream, ProblemError, type StreamAccess } from '#api';
import { pipelineLoop, type PipelineDefinition, type LoopCandidate } from '#features/pipelines/definition';
import './pipeline-problems.js';

/**
 * Refuses a pipeline whose events would return to it, directly or through other pipelines. The problem names only the
 * streams and pipelines of the loop that the caller may see.
 * @throws ProblemError 409 `pipeline_loop`
 */
export function refuseLoop(
  pipeline: LoopCandidate,
  all: readonly PipelineDefinition[],
  { access, visible }: { access: StreamAccess; visible: readonly PipelineDefinition[] },
): void {
  const loop = pipelineLoop(pipeline, all);
  if (!loop) return;
  const seen = new Set([pipeline, ...visible].map(({ name }) => name));
  const nameOf = (stream: string) => (permitsStream(access, stream) ? stream : 'a stream of others');
  const steps = loop.map(
    (step) => `(${seen.has(step.pipeline) ? step.pipeline : 'a pipeline of others'}) → ${nameOf(step.to)}`,
  );
  const detail = `would feed itself: ${[nameOf(loop[0]!.from), ...steps].join(' → ')}`;
  throw new ProblemError('pipeline_loop', `The pipeline ${detail}.`, {
    errors: [{ pointer: '/operators', detail }],
  });
}
