import { formatTime } from '#event';
import { ProblemError } from '#api';
import {
  latestBuild,
  type Definitions,
  type ProjectionBuild,
  type ProjectionDefinition,
  type ProjectionSpec,
} from '#registry';
import type { KeyedStateWriter } from '#store';
import type { Changer } from '../access/changer.js';
import type { ReadableStreams } from '../access/readable-streams.js';
import { permitsProjection, permittedProjection } from './named-projection.js';
import { newBuild } from './new-build.js';
import type { BoundSourcesEngines } from '../sources/bound-sources.js';
import { requireSources } from './required-sources.js';
import { sameSpec } from './wanted-projection.js';

export interface ProjectionChangesParts extends BoundSourcesEngines {
  definitions: Pick<Definitions, 'stream' | 'projections'>;
  projections: Pick<KeyedStateWriter, 'remove'>;
  streams: ReadableStreams;
}

/** What a projection shall be; the signal is aborted when the client goes away. */
export interface WantedProjection {
  name: string;
  spec: ProjectionSpec;
  client: AbortSignal;
}

type Prepared = Omit<ProjectionBuild, 'version'>;

/**
 * How projections change. Each change is one of the definition, made of what holds then: of two at the same time the
 * second is made of what the first has left. Repeating one that holds changes nothing, but a reset begins anew.
 */
export class ProjectionChanges {
  constructor(private readonly parts: ProjectionChangesParts) {}

  /**
   * A new projection, or the one that is there if it is exactly this.
   * @throws ProblemError projection_exists, stream_not_found, definition_limit_reached,
   * payload_too_large, definition_conflict, log_unavailable
   */
  async define(
    { name, spec, client }: WantedProjection,
    { actor, access }: Changer,
  ): Promise<{ definition: ProjectionDefinition; created: boolean }> {
    await requireSources(spec, { access, client, streams: this.parts.streams });
    const build = await newBuild(spec, this.parts);
    const next = (current: ProjectionDefinition | undefined): ProjectionDefinition => {
      if (!current) return firstDefinition(name, build);
      if (!permitsProjection(access, current)) throw takenByHidden(name);
      if (sameSpec(latestBuild(current).spec, spec)) return current;
      const detail = `There is a projection ${name} that folds something else; PUT changes it.`;
      throw new ProblemError('projection_exists', detail, {
        errors: [{ pointer: '/name', detail: 'is taken' }],
      });
    };
    const { value, changed } = await this.parts.definitions.projections.change(name, next, actor);
    return { definition: permittedProjection(value, access), created: changed };
  }

  /**
   * Another spec is a version more, built beside what is served; the same one changes nothing.
   * @throws ProblemError projection_not_found, and what `define` throws
   */
  async replace({ name, spec, client }: WantedProjection, changer: Changer): Promise<ProjectionDefinition> {
    this.named(name, changer);
    await requireSources(spec, { access: changer.access, client, streams: this.parts.streams });
    const build = await newBuild(spec, this.parts);
    return this.change(name, changer, (current) => {
      if (sameSpec(latestBuild(current).spec, spec)) return current;
      return rebuilt(current, { ...build, version: current.version + 1 });
    });
  }

  /** Builds it anew beside what is served. @throws ProblemError projection_not_found, and what `define` throws */
  async reset(name: string, changer: Changer): Promise<ProjectionDefinition> {
    const { spec } = latestBuild(this.named(name, changer));
    const build = await newBuild(spec, this.parts);
    return this.change(name, changer, (current) => {
      if (sameSpec(latestBuild(current).spec, spec))
        return rebuilt(current, { ...build, version: current.version });
      throw new ProblemError(
        'definition_conflict',
        'It has just been changed, and is being built anew for that.',
      );
    });
  }

  /** @throws ProblemError projection_not_found, definition_conflict, log_unavailable */
  async setPaused(
    name: string,
    { paused }: { paused: boolean },
    changer: Changer,
  ): Promise<ProjectionDefinition> {
    return this.change(name, changer, (current) =>
      current.paused === paused ? current : { ...current, paused },
    );
  }

  /** Removes it with its states. @throws ProblemError projection_not_found, definition_conflict, log_unavailable */
  async remove(name: string, { actor, access }: Changer): Promise<void> {
    let builds: string[] = [];
    const next = (current: ProjectionDefinition | undefined): undefined => {
      const { serving, building } = permittedProjection(current, access);
      builds = [serving, building].flatMap((build) => (build ? [build.id] : []));
    };
    await this.parts.definitions.projections.change(name, next, actor);
    // Nobody reads them any more. What cannot be removed now, or is written late, a processor finds and removes.
    await Promise.allSettled(builds.map((build) => this.parts.projections.remove(build)));
  }

  private named(name: string, { access }: Changer): ProjectionDefinition {
    return permittedProjection(this.parts.definitions.projections.get(name), access);
  }

  private async change(
    name: string,
    { actor, access }: Changer,
    next: (current: ProjectionDefinition) => ProjectionDefinition,
  ): Promise<ProjectionDefinition> {
    const { value } = await this.parts.definitions.projections.change(
      name,
      (current) => next(permittedProjection(current, access)),
      actor,
    );
    return permittedProjection(value, access);
  }
}

/** Says that a name is taken without a word about what has it. */
function takenByHidden(name: string): ProblemError {
  const detail = `The name ${name} is taken; choose another one.`;
  return new ProblemError('projection_exists', detail, {
    errors: [{ pointer: '/name', detail: 'is taken' }],
  });
}

function firstDefinition(name: string, build: Prepared): ProjectionDefinition {
  const building = { ...build, version: 1 };
  const created_at = formatTime(Date.now() * 1000);
  return { name, version: 1, created_at, paused: false, serving: null, building, failure: null };
}

/** Whatever stopped it, a new build begins without. */
function rebuilt(current: ProjectionDefinition, building: ProjectionBuild): ProjectionDefinition {
  return { ...current, version: building.version, building, failure: null };
}
