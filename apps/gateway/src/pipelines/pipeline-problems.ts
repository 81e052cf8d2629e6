/** Of a definition of a pipeline: what it reads, asks, and writes to. */
export const ofDefinition = [
  'invalid_expression',
  'stream_forbidden',
  'stream_reserved',
  'stream_not_found',
  'projection_not_found',
] as const;

/** Of a definition that takes effect: it may close a loop, and its streams are made. */
export const ofEffect = [
  'pipeline_loop',
  'stream_name_collision',
  'stream_limit_reached',
  'stream_being_deleted',
] as const;
