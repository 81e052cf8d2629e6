import { Inject, Injectable } from '@nestjs/common';
import { STORE } from '#app';
import { formatTime } from '#json';
import { ProblemError } from '#api';
import {
  latestGeneration,
  type ProjectionGeneration,
  type ProjectionDefinition,
  type ProjectionSpec,
} from '#features/projections/definition';
import type { KeyedStateStore } from '#store';
import {
  sameSpec,
  sourcePointers,
  type DefinitionChangeCaller,
  type DefinitionRequest,
  type DefinitionChange,
  type ResettableDefinitionResource,
  NewGenerationOrJobFactory,
  StreamReadAuthorizer,
} from '#gateway-kit';
import { projectionAnswer, projectionDetailAnswer, projectionStatsAnswer } from './projection-answers.js';
import type { ProjectionInput, ProjectionSpecInput } from './projection-input.js';
import { ProjectionStatsReader } from './projection-stats-reader.js';
import { validatedProjection } from './validated-projection.js';
import { VisibleProjections } from './visible-projections.js';

/**
 * Projections, as their routes use them. A change that is already in effect does nothing, except that each reset starts
 * a new generation.
 */
@Injectable()
export class ProjectionResource implements ResettableDefinitionResource<ProjectionDefinition> {
  readonly answer = projectionAnswer;

  constructor(
    readonly visible: VisibleProjections,
    @Inject(STORE) private readonly store: { projections: Pick<KeyedStateStore, 'remove'> },
    private readonly streams: StreamReadAuthorizer,
    private readonly generations: NewGenerationOrJobFactory,
    private readonly stats: ProjectionStatsReader,
  ) {}

  /**
   * Creates a projection, or returns the existing one when it has the same definition.
   * @throws ProblemError stream_not_found, payload_too_large, and the errors of `VisibleDefinitions.define`
   */
  async create(
    { input, client }: DefinitionRequest,
    caller: DefinitionChangeCaller,
  ): Promise<DefinitionChange<ProjectionDefinition>> {
    const { name } = input as ProjectionInput;
    const spec = validatedProjection(input as ProjectionInput);
    await this.streams.requireSources(sourcePointers(spec), { access: caller.access, client });
    const building = { ...(await this.begin(spec)), version: 1 };
    const first = (): ProjectionDefinition => {
      const created_at = formatTime(Date.now() * 1000);
      return { name, version: 1, created_at, paused: false, serving: null, building, failure: null };
    };
    const isSame = (current: ProjectionDefinition) => sameSpec(latestGeneration(current).spec, spec);
    return this.visible.define(name, caller, { first, isSame, verb: 'folds' });
  }

  /**
   * Replaces the definition of a projection. A different spec is a new version: a new generation is built from the
   * events, while the old one still serves reads. The same spec changes nothing.
   * @throws ProblemError projection_not_found, and the errors of `create`
   */
  async replace(
    name: string,
    { input, client }: DefinitionRequest,
    caller: DefinitionChangeCaller,
  ): Promise<DefinitionChange<ProjectionDefinition>> {
    this.visible.get(name, caller.access);
    const spec = validatedProjection(input as ProjectionSpecInput);
    await this.streams.requireSources(sourcePointers(spec), { access: caller.access, client });
    const generation = await this.begin(spec);
    const definition = await this.visible.change(name, caller, (current) => {
      if (sameSpec(latestGeneration(current).spec, spec)) return current;
      return rebuilt(current, { ...generation, version: current.version + 1 });
    });
    return { definition, created: false };
  }

  /**
   * Builds a new generation with the same spec. The current states remain readable meanwhile.
   * @throws ProblemError projection_not_found, and the errors of `create`
   */
  async reset(name: string, caller: DefinitionChangeCaller): Promise<ProjectionDefinition> {
    const { spec } = latestGeneration(this.visible.get(name, caller.access));
    const generation = await this.begin(spec);
    return this.visible.change(name, caller, (current) => {
      if (sameSpec(latestGeneration(current).spec, spec))
        return rebuilt(current, { ...generation, version: current.version });
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
    const { serving, building } = await this.visible.remove(name, caller);
    const generations = [serving, building].filter((generation) => generation !== null);
    // Nobody reads these generations any more. A processor later removes rows that cannot be removed now or are written
    // late.
    await Promise.allSettled(generations.map(({ id }) => this.store.projections.remove(id)));
  }

  async answersWithStats(
    definitions: readonly ProjectionDefinition[],
    client: AbortSignal,
  ): Promise<object[]> {
    const stats = await this.stats.of(definitions, client);
    return definitions.map((definition) => projectionStatsAnswer(definition, stats));
  }

  async detail(definition: ProjectionDefinition, client: AbortSignal): Promise<object> {
    return projectionDetailAnswer(definition, await this.stats.of([definition], client));
  }

  private async begin(spec: ProjectionSpec): Promise<Omit<ProjectionGeneration, 'version'>> {
    return { ...(await this.generations.begin({ streams: sourcePointers(spec), from: spec.from })), spec };
  }
}

/** Returns the definition with a new generation and without its failure. */
function rebuilt(current: ProjectionDefinition, building: ProjectionGeneration): ProjectionDefinition {
  return { ...current, version: building.version, building, failure: null };
}
