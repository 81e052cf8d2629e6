import type { SchemaProblem } from '../schema-problem.js';
import { schemaBounds } from '../bounds.js';
import { isObject, type JsonSchema } from './schema.js';

/** Yields an error if a schema document contains too many schemas. */
export function* countErrors(subschemas: ReadonlyMap<string, JsonSchema>): Generator<SchemaProblem> {
  const most = schemaBounds.subschemas;
  if (subschemas.size > most)
    yield { pointer: '', detail: `contains ${subschemas.size} schemas; at most ${most} are allowed` };
}

/** Yields an error if the outermost schema rejects every object. */
export function* rootErrors(root: JsonSchema): Generator<SchemaProblem> {
  const detail = 'rejects every object, and only objects are validated';
  if (root === false) yield { pointer: '', detail };
  else if (isObject(root) && root.type !== undefined && ![root.type].flat().includes('object'))
    yield { pointer: '/type', detail };
}
