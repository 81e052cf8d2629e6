import { permitsStream, ProblemError, type StreamAccess } from '#contracts';
import { latestBuild, type ProjectionBuild, type ProjectionDefinition } from '#definitions';
import { requirePermitted } from '../access/permit.js';

/**
 * The projection that was named, for a request that may see it.
 * @throws ProblemError 404 `projection_not_found`, 403 `stream_forbidden`
 */
export function permittedProjection(
  definition: ProjectionDefinition | undefined,
  access: StreamAccess,
): ProjectionDefinition {
  if (!definition) {
    const detail = 'There is no such projection; GET /api/v1/projections lists those there are.';
    throw new ProblemError('projection_not_found', detail);
  }
  requirePermitted(access, projectionSources(definition), { pointer: 'name' });
  return definition;
}

/** Whether all that a projection shows may be seen. */
export function permitsProjection(access: StreamAccess, definition: ProjectionDefinition): boolean {
  return projectionSources(definition).every((stream) => permitsStream(access, stream));
}

/** The streams that it folds, and those whose fold is served as long as the other one is being built. */
export function projectionSources(definition: ProjectionDefinition): string[] {
  const streamsOf = (build: ProjectionBuild | null) => build?.spec.source.streams ?? [];
  return [...new Set([...streamsOf(latestBuild(definition)), ...streamsOf(definition.serving)])];
}
