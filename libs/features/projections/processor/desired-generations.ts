import type { EpochMicros } from '#json';
import {
  latestGeneration,
  type ProjectionGeneration,
  type ProjectionDefinition,
} from '#features/projections/definition';
import { liveSources, recreatedSource, type Definitions } from '#registry';
import {
  compileFold,
  compileHistory,
  compileKey,
  compileSource,
  DefinitionError,
  type Fold,
  type FoldEvent,
  type KeyResult,
} from '#dataflow';

/** The compiled source filter, key and fold of a generation of a projection. */
export interface CompiledGeneration {
  readonly build: ProjectionGeneration;
  /**
   * The event types that the source filter selects; undefined for all types. Events of other types are skipped before
   * they are decoded.
   */
  readonly eventTypes: ReadonlySet<string> | undefined;
  readonly matches: (event: FoldEvent) => boolean;
  readonly keyOf: (event: FoldEvent) => KeyResult;
  readonly fold: Fold;
  /** How long the history of a key is kept, in microseconds; undefined if the projection keeps none. */
  readonly history: EpochMicros | undefined;
}

/**
 * Compiles the definition of a generation.
 * @throws DefinitionError when this version cannot compile the definition
 */
export function compileGeneration(build: ProjectionGeneration): CompiledGeneration {
  const { source, key, fields, history } = build.spec;
  return {
    build,
    eventTypes: source.event_types && new Set(source.event_types),
    matches: compileSource(source),
    keyOf: compileKey(key),
    fold: compileFold(fields),
    history: history === undefined ? undefined : compileHistory(history, '/history'),
  };
}

/** A generation that should run, and the streams that the generation reads. */
export interface DesiredGeneration {
  /** Name of the projection. */
  name: string;
  compiled: CompiledGeneration;
  /** The source streams of the generation, without streams that were deleted or recreated. */
  streams: readonly string[];
  isBuilding: boolean;
}

interface SelectedGenerations {
  desired: DesiredGeneration[];
  /** The reasons why generations cannot run with the current definitions, by generation id. */
  invalid: ReadonlyMap<string, string>;
}

/** Selects from the definitions the generations that should run now. Each generation is compiled once. */
export class DesiredGenerationSelector {
  private compiled = new Map<string, CompiledGeneration | string>();

  /**
   * @param mostBuilding Maximum number of generations that catch up at the same time, the oldest first. Serving
   *   generations do not count.
   */
  constructor(
    private readonly definitions: Pick<Definitions, 'projections' | 'stream'>,
    private readonly mostBuilding: number,
  ) {}

  now(): SelectedGenerations {
    const known = this.compiled;
    this.compiled = new Map();
    const serving: DesiredGeneration[] = [];
    const building: DesiredGeneration[] = [];
    const invalid = new Map<string, string>();
    for (const definition of this.definitions.projections.all()) {
      for (const build of [definition.serving, definition.building]) {
        if (!build) continue;
        const compiled = known.get(build.id) ?? compiledOrWhyNot(build);
        this.compiled.set(build.id, compiled);
        if (definition.paused) continue;
        const { name } = definition;
        const isBuilding = build === definition.building;
        const streams = liveSources(build, this.definitions).map(({ stream }) => stream);
        const recreated = this.recreatedIn(definition, build);
        if (typeof compiled === 'string') invalid.set(build.id, compiled);
        else if (recreated !== undefined) invalid.set(build.id, recreated);
        else (isBuilding ? building : serving).push({ name, compiled, isBuilding, streams });
      }
    }
    return { desired: [...serving, ...oldest(building, this.mostBuilding)], invalid };
  }

  /**
   * Returns the reason why a generation cannot run if one of its sources was recreated. A serving generation needs no
   * reset while another generation catches up, because that generation will replace it.
   */
  private recreatedIn(
    definition: ProjectionDefinition,
    generation: ProjectionGeneration,
  ): string | undefined {
    if (generation !== latestGeneration(definition)) return undefined;
    const recreated = recreatedSource(generation.spec.source.streams, generation, this.definitions);
    if (!recreated) return undefined;
    return `The stream ${recreated} was deleted and created again. Reset the projection to fold it, or remove it from the sources.`;
  }
}

function compiledOrWhyNot(build: ProjectionGeneration): CompiledGeneration | string {
  try {
    return compileGeneration(build);
  } catch (error) {
    if (error instanceof DefinitionError) return error.message;
    throw error;
  }
}

/**
 * Returns the oldest generations. Every process selects the same generations, so that the processes share the
 * partitions of these generations.
 */
function oldest(builds: readonly DesiredGeneration[], count: number): DesiredGeneration[] {
  const age = ({ compiled: { build } }: DesiredGeneration): string => `${build.started_at} ${build.id}`;
  return [...builds].sort((a, b) => (age(a) < age(b) ? -1 : 1)).slice(0, count);
}
