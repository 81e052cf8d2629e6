import { latestBuild, type ProjectionBuild, type ProjectionDefinition } from './projection-definition.js';

/** Returns the streams that a projection reads, including those of a serving generation that is being replaced. */
export function projectionStreams(definition: ProjectionDefinition): string[] {
  const streamsOf = (build: ProjectionBuild | null) => build?.spec.source.streams ?? [];
  return [...new Set([...streamsOf(latestBuild(definition)), ...streamsOf(definition.serving)])];
}
