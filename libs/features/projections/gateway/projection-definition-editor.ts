import { Inject, Injectable } from '@nestjs/common';
import { STORE } from '#app';
import { formatTime } from '#json';
import { ProblemError } from '#api';
import {
  latestGeneration,
  type ProjectionGeneration,
  type ProjectionDefinition,
  type ProjectionSpec,
} from '#registry';
import type { KeyedStateStore } from '#store';
import {
  StreamReadAuthorizer,
  sameSpec,
  type DefinitionChangeCaller,
  NewGenerationOrJobFactory,
} from '#gateway-kit';
import { VisibleProjections } from './visible-projections.js';

/**
 * Name and definition of the projection that a request creates or replaces. The signal is aborted when the client
 * disconnects.
 */
interface DesiredProjection {
  name: string;
  spec: ProjectionSpec;
  client: AbortSignal;
}

type PreparedGeneration = Omit<ProjectionGeneration, 'version'>;

/**
 * Creates, replaces, resets, pauses and deletes projections. A change that is already in effect does nothing, except
 * that each reset starts a new generation.
 */
@Injectable()
export class ProjectionDefinitionEditor {
  constructor(
    private readonly projections: VisibleProjections,
    @Inject(STORE) private readonly store: { projections: Pick<KeyedStateStore, 'remove'> },
    private readonly streams: StreamReadAuthorizer,
    private readonly sources: NewGenerationOrJobFactory,
  ) {}

  /**
   * Creates a projection, or returns the existing one when it has the same definition.
   * @throws ProblemError stream_not_found, payload_too_large, and the errors of `VisibleDefinitions.define`
   */
  async define(
    { name, spec, client }: DesiredProjection,
    caller: DefinitionChangeCaller,
  ): Promise<{ definition: ProjectionDefinition; created: boolean }> {
    await this.streams.requireSources(spec, { access: caller.access, client });
    const build = await this.build(spec);
    return this.projections.define(name, caller, {
      first: () => firstDefinition(name, build),
      isSame: (current) => sameSpec(latestGeneration(current).spec, spec),
      verb: 'folds',
    });
  }

  /**
   * Replaces the definition of a projection. A different spec is a new version: a new generation is built from the
   * events, while the old one still serves reads. The same spec changes nothing.
   * @throws ProblemError projection_not_found, and the errors of `define`
   */
  async replace(
    { name, spec, client }: DesiredProjection,
    caller: DefinitionChangeCaller,
  ): Promise<ProjectionDefinition> {
    this.projections.get(name, caller.access);
    await this.streams.requireSources(spec, { access: caller.access, client });
    const build = await this.build(spec);
    return this.projections.change(name, caller, (current) => {
      if (sameSpec(latestGeneration(current).spec, spec)) return current;
      return rebuilt(current, { ...build, version: current.version + 1 });
    });
  }

  /**
   * Builds a new generation with the same spec. The current states remain readable meanwhile.
   * @throws ProblemError projection_not_found, and the errors of `define`
   */
  async reset(name: string, caller: DefinitionChangeCaller): Promise<ProjectionDefinition> {
    const { spec } = latestGeneration(this.projections.get(name, caller.access));
    const build = await this.build(spec);
    return this.projections.change(name, caller, (current) => {
      if (sameSpec(latestGeneration(current).spec, spec))
        return rebuilt(current, { ...build, version: current.version });
      const detail =
        'The projection was changed during this request, and is already being rebuilt for that change.';
      throw new ProblemError('definition_conflict', detail);
    });
  }

  /**
   * Deletes a projection with its states.
   * @throws ProblemError projection_not_found, definition_conflict, log_unavailable
   */
  async remove(name: string, caller: DefinitionChangeCaller): Promise<void> {
    const { serving, building } = await this.projections.remove(name, caller);
    const builds = [serving, building].filter((build) => build !== null);
    // Nobody reads these generations any more. A processor later removes rows that cannot be removed now or are written
    // late.
    await Promise.allSettled(builds.map(({ id }) => this.store.projections.remove(id)));
  }

  private async build(spec: ProjectionSpec): Promise<PreparedGeneration> {
    return { ...(await this.sources.begin(spec)), spec };
  }
}

function firstDefinition(name: string, build: PreparedGeneration): ProjectionDefinition {
  const building = { ...build, version: 1 };
  const created_at = formatTime(Date.now() * 1000);
  return { name, version: 1, created_at, paused: false, serving: null, building, failure: null };
}

/** Returns the definition with a new generation and without its failure. */
function rebuilt(current: ProjectionDefinition, building: ProjectionGeneration): ProjectionDefinition {
  return { ...current, version: building.version, building, failure: null };
}
