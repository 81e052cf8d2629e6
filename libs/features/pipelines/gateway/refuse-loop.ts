import { permitsStream, ProblemError, type StreamAccess } from '#api';
import { pipelineLoop, type LoopStep, type PipelineDefinition, type LoopCandidate } from '#registry';
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
  const detail = `would feed itself: ${wayOf(loop, { seen, access })}`;
  throw new ProblemError('pipeline_loop', `The pipeline ${detail}.`, {
    errors: [{ pointer: '/operators', detail }],
  });
}

function wayOf(
  loop: readonly LoopStep[],
  { seen, access }: { seen: ReadonlySet<string>; access: StreamAccess },
): string {
  const stream = (name: string) => (permitsStream(access, name) ? name : 'a stream of others');
  const pipeline = (name: string) => (seen.has(name) ? name : 'a pipeline of others');
  const steps = loop.map((step) => `(${pipeline(step.pipeline)}) → ${stream(step.to)}`);
  return [stream((loop[0] as LoopStep).from), ...steps].join(' → ');
}
