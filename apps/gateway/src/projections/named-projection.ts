import { permitsStream, ProblemError, type StreamAccess } from '#api';
import { projectionStreams, type ProjectionDefinition } from '#registry';

/**
 * The projection that was named, for a request that may see it. One that may not be seen is answered as if it did not
 * exist.
 * @throws ProblemError 404 `projection_not_found`
 */
export function permittedProjection(
  definition: ProjectionDefinition | undefined,
  access: StreamAccess,
): ProjectionDefinition {
  if (definition && permitsProjection(access, definition)) return definition;
  const detail = 'There is no such projection; GET /api/v1/projections lists those that you may see.';
  throw new ProblemError('projection_not_found', detail);
}

/** Whether all that a projection shows may be seen. */
export function permitsProjection(access: StreamAccess, definition: ProjectionDefinition): boolean {
  return projectionStreams(definition).every((stream) => permitsStream(access, stream));
}
