import { ProblemError } from '#api';
import type { TopicNames } from '#event';
import type { Definitions, ProjectionBuild, ProjectionDefinition } from '#registry';
import type { KeyedStateReader } from '#store';
import type { ReadGate } from '../../reads/read-gate.js';
import type { StreamPosition } from '../../wait-for/position.js';
import type { WaitFor } from '../../wait-for/wait-for.js';
import type { ProjectionFigures } from '../projection-figures.js';
import { awaitedPositions } from './awaited-positions.js';
import { foldOf, keyState, mergedKey, type KeyState } from './key-state.js';
import { pageOfStates, type StatesQuery } from './page-of-states.js';
import { servedBuild } from './served-build.js';
import type { StatePage } from './state-answers.js';

export interface ProjectionStatesParts {
  definitions: Pick<Definitions, 'stream'>;
  projections: Pick<KeyedStateReader, 'key' | 'keys' | 'countKeys'>;
  figures: ProjectionFigures;
  waitFor: Pick<WaitFor, 'reached'>;
  gate: ReadGate;
  topics: TopicNames;
}

/** Who reads, and what they wait for. */
export interface StateReading {
  positions?: readonly StreamPosition[] | undefined;
  client: AbortSignal;
}

/** The states of projections, of the build that is served. */
export class ProjectionStates {
  constructor(private readonly parts: ProjectionStatesParts) {}

  /**
   * @throws ProblemError projection_building, projection_key_not_found, what `WaitFor` throws, overloaded
   * @throws QueryTooExpensiveError @throws StoreUnavailableError
   */
  async one(definition: ProjectionDefinition, key: string, reading: StateReading): Promise<KeyState> {
    const build = await this.reached(definition, reading);
    const { gate, projections } = this.parts;
    const found = await gate.run(reading.client, (signal) => projections.key(build.id, key, signal));
    if (!found) throw notFound(definition);
    const fold = foldOf(build);
    return keyState(fold, mergedKey(fold, found));
  }

  /** @throws ProblemError invalid_cursor, query_too_expensive, and what `one` throws */
  async page(
    definition: ProjectionDefinition,
    query: StatesQuery,
    reading: StateReading,
  ): Promise<StatePage> {
    const build = await this.reached(definition, reading);
    const { gate, projections } = this.parts;
    const { name } = definition;
    return gate.run(reading.client, (signal) => pageOfStates({ name, build, query, projections, signal }));
  }

  /** @throws ProblemError projection_building */
  async requireServed(definition: ProjectionDefinition, client: AbortSignal): Promise<void> {
    await servedBuild(definition, { figures: this.parts.figures, client });
  }

  private async reached(
    definition: ProjectionDefinition,
    { positions = [], client }: StateReading,
  ): Promise<ProjectionBuild> {
    const { figures, waitFor, definitions, topics } = this.parts;
    const build = await servedBuild(definition, { figures, client });
    const awaited = awaitedPositions(build, positions, definitions);
    await waitFor.reached(awaited, client, topics.projectionGroup(build.id));
    return build;
  }
}

function notFound({ name }: ProjectionDefinition): ProblemError {
  const detail = `${name} has no such key: no event of it has been folded yet.`;
  return new ProblemError('projection_key_not_found', detail, { errors: [{ pointer: 'key', detail }] });
}
