import type { InputProblem } from '#api';
import { schemaBounds } from '../bounds.js';
import { isObject, type JsonSchema } from './schema.js';

/** Yields an error if a schema document contains too many schemas. */
export function* countErrors(subschemas: ReadonlyMap<string, JsonSchema>): Generator<InputProblem> {
  const most = schemaBounds.subschemas;
  if (subschemas.size > most)
    yield { pointer: '', detail: `contains ${subschemas.size} schemas; at most ${most} are allowed` };
}

/** Yields an error if the outermost schema rejects every object, and so the data of every event. */
export function* rootErrors(root: JsonSchema): Generator<InputProblem> {
  const detail = 'rejects every event: the data of an event is always an object';
  if (root === false) yield { pointer: '', detail };
  else if (isObject(root) && root.type !== undefined && ![root.type].flat().includes('object'))
    yield { pointer: '/type', detail };
}
