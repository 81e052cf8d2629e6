import type { RunSource } from '../sources/run-source.js';

/** The spec of a projection, in the form that clients write: its source, its key and its fields. */
export interface ProjectionSpec {
  source: { streams: readonly string[]; event_types?: readonly string[]; where?: string };
  /** A CEL expression; the default is `event.entity_id`. */
  key?: string;
  fields: Readonly<Record<string, { op: string; value?: string }>>;
  /** Where a generation begins to read. */
  from: 'beginning' | 'now';
}

/** One generation of a projection: one pass over the log. Its id names its own rows, consumer group and checkpoints. */
export interface ProjectionBuild {
  /** 24 random hexadecimal digits. */
  id: string;
  /** Version of the definition that the generation folds. */
  version: number;
  spec: ProjectionSpec;
  /** The source of each stream, by stream name. */
  sources: Readonly<Record<string, RunSource>>;
  /** Start time of the generation, as RFC 3339. */
  started_at: string;
}

/**
 * A projection. Queries read the generation in `serving`. The one in `building` replaces it after catching up. One
 * change of the definition makes the switch: the first process that detects the catch-up writes it.
 */
export interface ProjectionDefinition {
  name: string;
  /** Increases by one with each changed spec. */
  version: number;
  created_at: string;
  paused: boolean;
  serving: ProjectionBuild | null;
  building: ProjectionBuild | null;
  /**
   * The reason why the projection has failed; null if it has not. A reset or a changed spec starts a new generation.
   */
  failure: string | null;
}

/** Limits of projections. Limits of their fields are in `foldLimits`. */
export const projectionLimits = {
  /** Projections of one installation. */
  projections: 200,
  /** Source streams of one projection. */
  streams: 20,
} as const;

/** Returns the generation of the current definition: the one that is building, or otherwise the one that is serving. */
export function latestBuild({
  building,
  serving,
}: Pick<ProjectionDefinition, 'building' | 'serving'>): ProjectionBuild {
  const latest = building ?? serving;
  if (!latest) throw new RangeError('the projection has no generation');
  return latest;
}
