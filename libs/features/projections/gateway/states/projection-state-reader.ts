import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import { ProblemError } from '#api';
import { TopicAndGroupNames } from '#event';
import type { Definitions, ProjectionGeneration, ProjectionDefinition } from '#registry';
import type { KeyedStateReader } from '#store';
import { Bulkhead, type ConsistencyToken, ConsistencyTokenWaiter } from '#gateway-kit';
import { ProjectionStatsReader } from '../projection-stats-reader.js';
import { awaitedPositions } from './awaited-positions.js';
import { foldOf, keyState, mergedKey, type KeyState } from './key-state.js';
import { pageOfStates, type ProjectionStatesQuery } from './page-of-states.js';
import { servingGeneration } from './serving-generation.js';
import type { StatePage } from './state-answers.js';
import '../projection-problems.js';

/** The caller of a read, and the positions that it waits for. */
interface StateReadOptions {
  positions?: readonly ConsistencyToken[] | undefined;
  client: AbortSignal;
}

/** Reads the states of projections, from the generation that is serving. */
@Injectable()
export class ProjectionStateReader {
  constructor(
    @Inject(DEFINITIONS) private readonly definitions: Pick<Definitions, 'stream'>,
    @Inject(STORE)
    private readonly store: { projections: Pick<KeyedStateReader, 'key' | 'keys' | 'countKeys'> },
    private readonly stats: ProjectionStatsReader,
    private readonly tokens: ConsistencyTokenWaiter,
    private readonly bulkhead: Bulkhead,
    private readonly topics: TopicAndGroupNames,
  ) {}

  /**
   * Resolves with the state of one key.
   * @throws ProblemError projection_building, projection_key_not_found, the errors of `ConsistencyTokenWaiter`, overloaded
   * @throws QueryTooExpensiveError
   * @throws StoreUnavailableError
   */
  async one(definition: ProjectionDefinition, key: string, reading: StateReadOptions): Promise<KeyState> {
    const build = await this.reached(definition, reading);
    const { projections } = this.store;
    const found = await this.bulkhead.run(reading.client, (signal) => projections.key(build.id, key, signal));
    if (!found) throw notFound(definition);
    const fold = foldOf(build);
    return keyState(fold, mergedKey(fold, found));
  }

  /**
   * Resolves with one page of states.
   * @throws ProblemError invalid_cursor, query_too_expensive, and the errors of `one`
   */
  async page(
    definition: ProjectionDefinition,
    query: ProjectionStatesQuery,
    reading: StateReadOptions,
  ): Promise<StatePage> {
    const build = await this.reached(definition, reading);
    const { projections } = this.store;
    const { name } = definition;
    return this.bulkhead.run(reading.client, (signal) =>
      pageOfStates({ name, build, query, projections, signal }),
    );
  }

  /** Requires that a generation is serving. @throws ProblemError projection_building */
  async requireServed(definition: ProjectionDefinition, client: AbortSignal): Promise<void> {
    await servingGeneration(definition, this.stats, client);
  }

  private async reached(
    definition: ProjectionDefinition,
    { positions = [], client }: StateReadOptions,
  ): Promise<ProjectionGeneration> {
    const build = await servingGeneration(definition, this.stats, client);
    const awaited = awaitedPositions(build, positions, this.definitions);
    await this.tokens.reached(awaited, client, this.topics.projectionGroup(build.id));
    return build;
  }
}

function notFound({ name }: ProjectionDefinition): ProblemError {
  const detail = `${name} has no such key: no event with this key has been folded yet.`;
  return new ProblemError('projection_key_not_found', detail, { errors: [{ pointer: 'key', detail }] });
}
