import type { SourceStreamWithStartOffsets } from '../sources/source-stream-with-start-offsets.js';

/** The spec of a projection, in the form that clients write: its source, its key and its fields. */
export interface ProjectionSpec {
  source: { streams: readonly string[]; event_types?: readonly string[]; where?: string };
  /** A CEL expression; the default is `event.entity_id`. */
  key?: string;
  fields: Readonly<Record<string, { op: string; value?: string }>>;
  /** Whether a generation reads its streams from their first event, or only events that are written after its start. */
  from: 'beginning' | 'now';
}

/**
 * One generation of a projection: one build of its state from the events of its streams, with its own rows, consumer
 * group and checkpoints, which are named by the generation's id.
 */
export interface ProjectionGeneration {
  /** Id of the generation: 24 random hexadecimal digits. */
  id: string;
  /** Version of the projection's definition from which the generation is built. */
  version: number;
  spec: ProjectionSpec;
  /** The id and start offsets of each stream that the generation reads, by stream name. */
  sources: Readonly<Record<string, SourceStreamWithStartOffsets>>;
  /** Start time of the generation, as RFC 3339. */
  started_at: string;
}

/**
 * The definition of a projection. Queries read the generation in `serving`. The generation in `building` replaces it
 * after it has caught up with its streams. The first process that detects that the new generation has caught up changes
 * the definition.
 */
export interface ProjectionDefinition {
  name: string;
  /** Version of the projection's definition, which increases by one with each changed spec. */
  version: number;
  created_at: string;
  paused: boolean;
  serving: ProjectionGeneration | null;
  building: ProjectionGeneration | null;
  /**
   * The reason why the latest generation has failed; null if it has not. A resume clears the failure,
   * and so does a reset or a changed spec, which starts a new generation.
   */
  failure: string | null;
}

/** Limits of projections. The limits of their fields are in `foldLimits`. */
export const projectionLimits = {
  /** The most projections of one installation. */
  projections: 200,
  /** The most source streams of one projection. */
  streams: 20,
} as const;

/**
 * Returns the latest generation of a projection: the one that is being built, or otherwise the one that queries read.
 */
export function latestGeneration({
  building,
  serving,
}: Pick<ProjectionDefinition, 'building' | 'serving'>): ProjectionGeneration {
  const latest = building ?? serving;
  if (!latest) throw new RangeError('the projection has no generation');
  return latest;
}
