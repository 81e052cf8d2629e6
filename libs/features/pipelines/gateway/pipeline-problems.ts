import { defineProblems } from '#api';

export const pipelineProblems = defineProblems({
  pipeline_not_found: { status: 404, title: 'There is no pipeline with this name' },
  pipeline_exists: { status: 409, title: 'There is a pipeline with this name already' },
  pipeline_loop: { status: 409, title: 'The pipeline would feed itself' },
});

declare module '#api' {
  interface ProblemCatalogue extends Readonly<typeof pipelineProblems> {}
}

/**
 * Problem codes of a pipeline definition, for the streams that it reads and writes and the projections that it looks
 * up.
 */
export const definitionProblems = [
  'invalid_expression',
  'stream_forbidden',
  'stream_reserved',
  'stream_not_found',
  'projection_not_found',
] as const;

/**
 * Problem codes of a request that stores a pipeline definition, and not only tries it: the pipeline may close a loop,
 * and its target streams are created.
 */
export const effectProblems = [
  'pipeline_loop',
  'stream_name_collision',
  'stream_limit_reached',
  'stream_being_deleted',
] as const;
