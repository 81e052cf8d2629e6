import { Inject, Injectable } from '@nestjs/common';
import { DEFINITIONS, STORE } from '#app';
import { ProblemError } from '#api';
import { TopicAndGroupNames } from '#event';
import type { Definitions } from '#registry';
import type { ProjectionGeneration, ProjectionDefinition } from '#features/projections/definition';
import type { KeyedStateReader } from '#store';
import { Bulkhead, type ConsistencyToken, ConsistencyTokenWaiter } from '#gateway-kit';
import { ProjectionStatsReader } from '../projection-stats-reader.js';
import { foldOf } from '#features/projections/definition';
import { keyState, mergedKey, type KeyState } from './key-state.js';
import { pageOfStates, type ProjectionStatesQuery } from './page-of-states.js';
import type { StatePage } from './state-answers.js';
import '../projection-problems.js';

/** The caller of a read, and the positions that it waits for. */
interface StateReadOptions {
  positions?: readonly ConsistencyToken[] | undefined;
  client: AbortSignal;
}

/** Seconds after which a client should try again to read a projection that no generation serves. */
const retryAfterSeconds = 2;

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
    const generation = await this.reached(definition, reading);
    const { projections } = this.store;
    const found = await this.bulkhead.run(reading.client, (signal) =>
      projections.key(generation.id, key, signal),
    );
    if (!found) {
      const detail = `${definition.name} has no such key: no event with this key has been folded yet.`;
      throw new ProblemError('projection_key_not_found', detail, { errors: [{ pointer: 'key', detail }] });
    }
    const fold = foldOf(generation);
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
    const generation = await this.reached(definition, reading);
    const { projections } = this.store;
    const { name } = definition;
    return this.bulkhead.run(reading.client, (signal) =>
      pageOfStates({ name, generation, query, projections, signal }),
    );
  }

  /**
   * Resolves with the generation that is serving.
   * @throws ProblemError 503 `projection_building` with the progress of the first generation
   */
  async serving(definition: ProjectionDefinition, client: AbortSignal): Promise<ProjectionGeneration> {
    if (definition.serving) return definition.serving;
    const detail = await this.whyNotServing(definition, client);
    throw new ProblemError('projection_building', detail, { retryAfterSeconds });
  }

  private async whyNotServing(definition: ProjectionDefinition, client: AbortSignal): Promise<string> {
    const { name, building, paused, failure } = definition;
    if (failure !== null)
      return `${name} failed while it was built for the first time: ${failure}. A reset rebuilds it.`;
    if (paused) return `${name} was paused while it was built for the first time: resume it.`;
    const known = building && (await this.stats.of([definition], client)).get(building.id);
    if (!known) return `${name} is being built for the first time.`;
    const { lag, total } = known;
    return `${name} is being built for the first time: ${total - lag} of ${total} records have been processed.`;
  }

  /** Resolves with the serving generation when its consumer group has passed the positions. */
  private async reached(
    definition: ProjectionDefinition,
    { positions = [], client }: StateReadOptions,
  ): Promise<ProjectionGeneration> {
    const generation = await this.serving(definition, client);
    const awaited = awaitedPositions(generation, positions, this.definitions);
    await this.tokens.reached(awaited, client, this.topics.projectionGroup(generation.id));
    return generation;
  }
}

/**
 * Returns the positions that the consumer group of a generation must pass. Positions before its start are left out,
 * because it never reads them.
 * @throws ProblemError 400 for a stream that the projection does not fold
 */
function awaitedPositions(
  { sources }: ProjectionGeneration,
  positions: readonly ConsistencyToken[],
  definitions: Pick<Definitions, 'stream'>,
): ConsistencyToken[] {
  const refused = (detail: string) =>
    new ProblemError('invalid_request', `The parameter wait_for ${detail}.`, {
      errors: [{ pointer: 'wait_for', detail }],
    });
  return positions.filter(({ stream, partition, offset }) => {
    const source = Object.hasOwn(sources, stream) ? sources[stream] : undefined;
    if (!source) throw refused(`must name streams that the projection folds, and ${stream} is not one`);
    const definition = definitions.stream(stream);
    if (definition && definition.id !== source.id)
      throw refused(
        `names ${stream}, which was deleted and created again: the projection folds it after a reset`,
      );
    return offset >= (source.starts?.[partition] ?? 0);
  });
}
