import type { Definitions, ProjectionBuild } from '#registry';
import { DefinitionError } from '#dataflow';
import { compileBuild, type CompiledBuild } from './compiled-build.js';

/** A build that shall run, and the streams that it reads. */
export interface WantedBuild {
  /** Of the projection. */
  name: string;
  compiled: CompiledBuild;
  /** Those of its sources that are the streams that they were. */
  streams: readonly string[];
  isBuilding: boolean;
}

/** A build that cannot run. */
export interface ImpossibleBuild {
  name: string;
  build: string;
  reason: string;
}

export interface WantedBuilds {
  wanted: WantedBuild[];
  impossible: ImpossibleBuild[];
}

/** Reads the definitions: which builds shall run now. A build is compiled once. */
export class BuildSelection {
  private compiled = new Map<string, CompiledBuild | string>();

  /** @param mostBuilding Builds that are made at a time, beside those that serve: the oldest. */
  constructor(
    private readonly definitions: Pick<Definitions, 'projections' | 'stream'>,
    private readonly mostBuilding: number,
  ) {}

  now(): WantedBuilds {
    const known = this.compiled;
    this.compiled = new Map();
    const serving: WantedBuild[] = [];
    const building: WantedBuild[] = [];
    const impossible: ImpossibleBuild[] = [];
    for (const definition of this.definitions.projections.all()) {
      for (const build of [definition.serving, definition.building]) {
        if (!build) continue;
        const compiled = known.get(build.id) ?? compiledOrWhyNot(build);
        this.compiled.set(build.id, compiled);
        if (definition.paused) continue;
        const { name } = definition;
        const isBuilding = build === definition.building;
        if (typeof compiled === 'string') impossible.push({ name, build: build.id, reason: compiled });
        else
          (isBuilding ? building : serving).push({
            ...{ name, compiled, isBuilding },
            streams: this.streamsOf(build),
          });
      }
    }
    return { wanted: [...serving, ...oldest(building, this.mostBuilding)], impossible };
  }

  private streamsOf({ sources }: ProjectionBuild): string[] {
    return Object.entries(sources)
      .filter(([name, { created_at }]) => {
        const stream = this.definitions.stream(name);
        return stream?.state === 'live' && stream.created_at === created_at;
      })
      .map(([name]) => name);
  }
}

function compiledOrWhyNot(build: ProjectionBuild): CompiledBuild | string {
  try {
    return compileBuild(build);
  } catch (error) {
    if (error instanceof DefinitionError) return error.message;
    throw error;
  }
}

/** The same ones in every process: they share the work. */
function oldest(builds: readonly WantedBuild[], count: number): WantedBuild[] {
  const age = ({ compiled: { build } }: WantedBuild): string => `${build.started_at} ${build.id}`;
  return [...builds].sort((a, b) => (age(a) < age(b) ? -1 : 1)).slice(0, count);
}
