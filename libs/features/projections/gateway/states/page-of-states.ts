import { compareUtf8, jsonValue } from '#json';
import { ProblemError } from '#api';
import type { ProjectionGeneration } from '#features/projections/definition';
import type { KeyedStateReader } from '#store';
import { compileFold, foldOperations, type FoldState, type Json } from '#dataflow';
import { nameCursor, nameOfCursor } from '#gateway-kit';
import '#store';
import { foldOf } from '#features/projections/definition';
import { keyState, mergedKey, type MergedKeyFoldState } from './key-state.js';
import { compareSortValues, isSortValue, sortValue, type SortValue } from './sort-value.js';
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
  generation: ProjectionGeneration;
  query: ProjectionStatesQuery;
  projections: Pick<KeyedStateReader, 'keys' | 'countKeys'>;
  signal: AbortSignal;
}

/** Limit of keys that a projection may have for a read sorted by a field; with more keys, the read is refused. */
const maxSortedKeys = 20_000;
/** Number of keys that are read at a time. */
const readAtOnce = 2_000;

/** A position in the list of keys sorted by a field: the sort value and the key. */
type SortPosition = readonly [value: SortValue, key: string];

interface Candidate extends MergedKeyFoldState {
  position: SortPosition;
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

async function byKey({ name, generation, query, projections, signal }: StatesRequest): Promise<StatePage> {
  const { limit, cursor, prefix } = query;
  const boundTo = ['states', name, prefix ?? null];
  const after = cursor === undefined ? undefined : nameOfCursor(boundTo, cursor);
  const scope = { owner: generation.id, ...(prefix !== undefined && { prefix }) };
  // Reads the total first, because the bytes of the keys are not accounted for while the total is read.
  const total = await projections.countKeys(scope, signal);
  const keys = await projections.keys(
    { ...scope, limit: limit + 1, ...(after !== undefined && { after }) },
    signal,
  );
  const fold = foldOf(generation);
  const states = keys.slice(0, limit).map((key) => keyState(fold, mergedKey(fold, key)));
  const last = states.at(-1);
  const more = keys.length > limit && last !== undefined;
  return { states, total, ...(more && { nextCursor: nameCursor(boundTo, last.key) }) };
}

async function byField(request: StatesRequest, field: string): Promise<StatePage> {
  const { name, generation, query, projections, signal } = request;
  const { limit, cursor, prefix, order } = query;
  const resultOf = fieldResult(generation, field);
  const boundTo = ['sorted states', name, prefix ?? null, field, order];
  const after = cursor === undefined ? undefined : parseSortPosition(nameOfCursor(boundTo, cursor));
  if (cursor !== undefined && !after) {
    const detail = 'The cursor is broken, or belongs to another list or to other filters.';
    throw refused('invalid_cursor', 'cursor', detail);
  }
  const scope = { owner: generation.id, ...(prefix !== undefined && { prefix }) };
  const total = await projections.countKeys(scope, signal);
  if (total > maxSortedKeys) throw tooManyToSort();
  const found = await firstSorted(request, { resultOf, after });
  const fold = foldOf(generation);
  const states = found.slice(0, limit).map((key) => keyState(fold, key));
  const last = found[limit - 1];
  const more = found.length > limit && last !== undefined;
  return { states, total, ...(more && { nextCursor: nameCursor(boundTo, JSON.stringify(last.position)) }) };
}

/**
 * Resolves with the first `limit` + 1 keys after the position in sort order; the last one only shows that there is a
 * next page. Reads all keys of the projection, 2 000 at a time, and keeps only those of the page in memory.
 * @param options.resultOf Returns the result of the sort field, as JSON text.
 * @throws ProblemError 422 `query_too_expensive`
 */
async function firstSorted(
  { generation, query, projections, signal }: StatesRequest,
  options: { resultOf: (state: FoldState) => string; after: SortPosition | undefined },
): Promise<Candidate[]> {
  const { prefix, limit, order } = query;
  const { resultOf, after } = options;
  const scope = { owner: generation.id, limit: readAtOnce, ...(prefix !== undefined && { prefix }) };
  const sign = order === 'asc' ? 1 : -1;
  const compare = (a: SortPosition, b: SortPosition) =>
    compareSortValues(a[0], b[0], sign) || compareUtf8(a[1], b[1]);
  const fold = foldOf(generation);
  let first: Candidate[] = [];
  let seen = 0;
  for (let last: string | undefined; ;) {
    const keys = await projections.keys({ ...scope, ...(last !== undefined && { after: last }) }, signal);
    seen += keys.length;
    if (seen > maxSortedKeys) throw tooManyToSort();
    for (const key of keys) {
      const merged = mergedKey(fold, key);
      const position = [sortValue(resultOf(merged.folded)), key.key] as const;
      if (!after || compare(position, after) > 0) first.push({ ...merged, position });
    }
    first = first.sort((a, b) => compare(a.position, b.position)).slice(0, limit + 1);
    if (keys.length < readAtOnce) return first;
    last = keys.at(-1)?.key;
  }
}

/**
 * Returns a function that computes one field of a projection from a state, as JSON text.
 * @throws ProblemError 400 for an unknown field, or a field whose values have no order
 */
function fieldResult({ spec }: ProjectionGeneration, name: string): (state: FoldState) => string {
  const names = Object.keys(spec.fields);
  const at = names.indexOf(name);
  const field = spec.fields[name];
  if (at < 0 || !field) throw wrongField(`must be a field of the projection: ${names.join(', ')}`);
  if (foldOperations[field.op]?.unordered)
    throw wrongField(`must be a field of single values, but ${name} is computed by ${field.op}`);
  const fold = compileFold({ [name]: field });
  return (state) => fold.results([state[at] as Json])[name] ?? 'null';
}

/** Parses the position in a cursor; returns undefined for any other text. */
function parseSortPosition(text: string): SortPosition | undefined {
  const read = jsonValue(text);
  if (!Array.isArray(read) || read.length !== 2) return undefined;
  const [value, key] = read as unknown[];
  return isSortValue(value) && typeof key === 'string' ? [value, key] : undefined;
}

function wrongField(detail: string): ProblemError {
  return new ProblemError('invalid_request', `The parameter order_by ${detail}.`, {
    errors: [{ pointer: 'order_by', detail }],
  });
}

function tooManyToSort(): ProblemError {
  const detail = `At most ${maxSortedKeys} keys are sorted by a field: narrow them with prefix, or leave out order_by.`;
  return refused('query_too_expensive', 'order_by', detail);
}

function refused(code: 'invalid_cursor' | 'query_too_expensive', pointer: string, detail: string) {
  return new ProblemError(code, detail, { errors: [{ pointer, detail }] });
}
