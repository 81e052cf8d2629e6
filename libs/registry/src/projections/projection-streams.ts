import { latestBuild, type ProjectionBuild, type ProjectionDefinition } from './projection-definition.js';

/** The streams that a projection folds, and those of the build that is served while another one is made. */
export function projectionStreams(definition: ProjectionDefinition): string[] {
  const streamsOf = (build: ProjectionBuild | null) => build?.spec.source.streams ?? [];
  return [...new Set([...streamsOf(latestBuild(definition)), ...streamsOf(definition.serving)])];
}
