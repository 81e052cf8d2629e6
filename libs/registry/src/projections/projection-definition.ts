import type { RunSource } from '../sources/run-source.js';

/** What a projection folds and how, as clients write it. */
export interface ProjectionSpec {
  source: { streams: readonly string[]; event_types?: readonly string[]; where?: string };
  /** A CEL expression; `event.entity_id` where there is none. */
  key?: string;
  fields: Readonly<Record<string, { op: string; value?: string }>>;
  /** Where a build begins. */
  from: 'beginning' | 'now';
}

/** One run through the log. It has rows, a consumer group and progress of its own, under its id. */
export interface ProjectionBuild {
  /** 24 hexadecimal digits, made at random. */
  id: string;
  /** Of the definition that is folded. */
  version: number;
  spec: ProjectionSpec;
  /** By stream. */
  sources: Readonly<Record<string, RunSource>>;
  /** RFC 3339. */
  started_at: string;
}

/**
 * A projection. Reads are answered from the build that is `serving`; one that is `building` beside it takes its place
 * when it has caught up. Exactly one change of the definition does that: whoever sees it first.
 */
export interface ProjectionDefinition {
  name: string;
  /** Goes up by one with each other spec. */
  version: number;
  created_at: string;
  paused: boolean;
  serving: ProjectionBuild | null;
  building: ProjectionBuild | null;
  /** Why it cannot go on; null while it can. A reset or another spec begins anew. */
  failure: string | null;
}

/** What bounds projections; the bounds of their folds are those of the folds. */
export const projectionLimits = {
  /** Of one installation. */
  projections: 200,
  /** Of one projection. */
  streams: 20,
} as const;

/** The build of the definition as it is now: the one that is building, else the one that is serving. */
export function latestBuild({
  building,
  serving,
}: Pick<ProjectionDefinition, 'building' | 'serving'>): ProjectionBuild {
  const latest = building ?? serving;
  if (!latest) throw new RangeError('a projection without a build');
  return latest;
}
