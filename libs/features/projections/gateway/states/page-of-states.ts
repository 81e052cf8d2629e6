import type { ProjectionGeneration } from '#registry';
import type { KeyedStateReader } from '#store';
import { nameCursor, nameOfCursor } from '#gateway-kit';
import { fieldResult } from './field-result.js';
import { foldOf, keyState, mergedKey } from './key-state.js';
import {
  invalidSortCursor,
  maxSortedKeys,
  parseSortPosition,
  sortedStates,
  tooManyToSort,
} from './sorted-states.js';
import type { StatePage } from './state-answers.js';

/** Which page of a projection's states to read, and in which order. */
export interface ProjectionStatesQuery {
  limit: number;
  cursor?: string | undefined;
  prefix?: string | undefined;
  /** The field to sort by; undefined sorts by key. */
  orderBy?: string | undefined;
  order: 'asc' | 'desc';
}

/** A `ProjectionStatesQuery` with the generation to read and its store. */
interface StatesRequest {
  /** Name of the projection. */
  name: string;
  build: ProjectionGeneration;
  query: ProjectionStatesQuery;
  projections: Pick<KeyedStateReader, 'keys' | 'countKeys'>;
  signal: AbortSignal;
}

/**
 * Resolves with a page of the states of a generation. Cursors contain no offsets, so they are valid for later
 * generations too.
 * @throws ProblemError 400 `invalid_cursor`, 400 for an unknown field, 422 `query_too_expensive`
 */
export function pageOfStates(request: StatesRequest): Promise<StatePage> {
  const { orderBy } = request.query;
  return orderBy === undefined ? byKey(request) : byField(request, orderBy);
}

async function byKey({ name, build, query, projections, signal }: StatesRequest): Promise<StatePage> {
  const { limit, cursor, prefix } = query;
  const boundTo = ['states', name, prefix ?? null];
  const after = cursor === undefined ? undefined : nameOfCursor(boundTo, cursor);
  const scope = { owner: build.id, ...(prefix !== undefined && { prefix }) };
  // Reads the total first, because the bytes of the keys are not accounted for while the total is read.
  const total = await projections.countKeys(scope, signal);
  const keys = await projections.keys(
    { ...scope, limit: limit + 1, ...(after !== undefined && { after }) },
    signal,
  );
  const fold = foldOf(build);
  const states = keys.slice(0, limit).map((key) => keyState(fold, mergedKey(fold, key)));
  const last = states.at(-1);
  const more = keys.length > limit && last !== undefined;
  return { states, total, ...(more && { nextCursor: nameCursor(boundTo, last.key) }) };
}

async function byField(
  { name, build, query, projections, signal }: StatesRequest,
  field: string,
): Promise<StatePage> {
  const { limit, cursor, prefix, order } = query;
  const resultOf = fieldResult(build, field);
  const boundTo = ['sorted states', name, prefix ?? null, field, order];
  const place = cursor === undefined ? undefined : parseSortPosition(nameOfCursor(boundTo, cursor));
  if (cursor !== undefined && !place) throw invalidSortCursor();
  const scope = { owner: build.id, ...(prefix !== undefined && { prefix }) };
  const total = await projections.countKeys(scope, signal);
  if (total > maxSortedKeys) throw tooManyToSort();
  const { states, next } = await sortedStates({
    ...{ fold: foldOf(build), resultOf, order, limit, after: place },
    read: (after, most) =>
      projections.keys({ ...scope, limit: most, ...(after !== undefined && { after }) }, signal),
  });
  return { states, total, ...(next && { nextCursor: nameCursor(boundTo, JSON.stringify(next)) }) };
}
