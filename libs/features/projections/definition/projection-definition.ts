import { Matches, IsBoolean, IsIn, IsNumber, IsOptional, IsString } from 'class-validator';
import { definitionNamePattern } from '#event';
import {
  IsCount,
  IsTextOrNull,
  IsTime,
  MapOf,
  Nested,
  NestedOr,
  SourceFilter,
  mostSourceStreams,
  startPositions,
  SourceStreamWithStartOffsets,
} from '#registry';

/** One field of a projection's state. */
class ProjectionField {
  @IsString() op: string;
  @IsOptional() @IsString() value?: string;
  @IsOptional() @IsString() by?: string;
  @IsOptional() @IsNumber() n?: number;
  @IsOptional() @IsNumber({}, { each: true }) p?: number[];
}

/**
 * The spec of a projection, in the form that clients write: its source, its key and its fields. Expressions are
 * compiled later, so that a record with an expression of a newer release is readable.
 */
export class ProjectionSpec {
  @Nested(() => SourceFilter) source: SourceFilter;
  /** A CEL expression; the default is `event.entity_id`. */
  @IsOptional() @IsString() key?: string;
  @MapOf(() => ProjectionField) fields: Readonly<Record<string, ProjectionField>>;
  /** How long the history of each key is kept, such as `30d`; without it, none is kept. */
  @IsOptional() @IsString() history?: string;
  /** Whether a generation reads its streams from their first event, or only events that are written after its start. */
  @IsIn(startPositions) from: 'beginning' | 'now';
}

/**
 * One generation of a projection: one build of its state from the events of its streams, with its own rows, consumer
 * group and checkpoints, which are named by the generation's id.
 */
export class ProjectionGeneration {
  /** Id of the generation: 24 random hexadecimal digits. */
  @Matches(/^[0-9a-f]{24}$/) id: string;
  /** Version of the projection's definition from which the generation is built. */
  @IsCount() version: number;
  @Nested(() => ProjectionSpec) spec: ProjectionSpec;
  /** The id and start offsets of each stream that the generation reads, by stream name. */
  @MapOf(() => SourceStreamWithStartOffsets)
  sources: Readonly<Record<string, SourceStreamWithStartOffsets>>;
  /** Start time of the generation, as RFC 3339. */
  @IsTime() started_at: string;
}

/**
 * The definition of a projection. Queries read the generation in `serving`. The generation in `building` replaces it
 * after it has caught up with its streams. The first process that detects that the new generation has caught up changes
 * the definition.
 */
export class ProjectionDefinition {
  @Matches(definitionNamePattern) name: string;
  /** Version of the projection's definition, which increases by one with each changed spec. */
  @IsCount() version: number;
  @IsTime() created_at: string;
  @IsBoolean() paused: boolean;
  @NestedOr(null, () => ProjectionGeneration) serving: ProjectionGeneration | null;
  @NestedOr(null, () => ProjectionGeneration) building: ProjectionGeneration | null;
  /**
   * The reason why the latest generation has failed; null if it has not. A resume clears the failure,
   * and so does a reset or a changed spec, which starts a new generation.
   */
  @IsTextOrNull() failure: string | null;
}

/** Limits of projections. The limits of their fields are in `foldLimits`. */
export const projectionLimits = {
  /** The most projections of one installation. */
  projections: 200,
  /** The most source streams of one projection. */
  streams: mostSourceStreams,
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
