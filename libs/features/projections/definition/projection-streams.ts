import {
  latestGeneration,
  type ProjectionGeneration,
  type ProjectionDefinition,
} from './projection-definition.js';

/** Returns the streams that a projection reads, including those of a serving generation that is being replaced. */
export function projectionStreams(definition: ProjectionDefinition): string[] {
  const streamsOf = (build: ProjectionGeneration | null) => build?.spec.source.streams ?? [];
  return [...new Set([...streamsOf(latestGeneration(definition)), ...streamsOf(definition.serving)])];
}
