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

/** Problem codes of a definition that takes effect: it may close a loop, and it creates its target streams. */
export const effectProblems = [
  'pipeline_loop',
  'stream_name_collision',
  'stream_limit_reached',
  'stream_being_deleted',
] as const;
