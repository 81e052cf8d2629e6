import type { InputError } from '#contracts';
import { schemaBounds } from '../bounds.js';
import { below } from './json-pointer.js';
import { isObject, type Schema } from './schema.js';

export function* countErrors(subschemas: ReadonlyMap<string, Schema>): Generator<InputError> {
  const most = schemaBounds.subschemas;
  if (subschemas.size > most)
    yield { pointer: '', detail: `holds ${subschemas.size} schemas; at most ${most} are allowed` };
}

/** Ajv takes the properties that `if` names for looked at when it does not apply, and for not looked at without `then`. */
export function* conditionErrors(subschemas: ReadonlyMap<string, Schema>): Generator<InputError> {
  const schemas = [...subschemas].filter(([, schema]) => isObject(schema));
  if (!schemas.some(([, schema]) => Object.hasOwn(schema as object, 'if'))) return;
  const detail = 'cannot be checked in a document that also uses if. Use anyOf or oneOf instead of if.';
  for (const [pointer, schema] of schemas)
    if (Object.hasOwn(schema as object, 'unevaluatedProperties'))
      yield { pointer: below(pointer, 'unevaluatedProperties'), detail };
}

export function* rootErrors(root: Schema): Generator<InputError> {
  const detail = 'refuses every event: the data of an event is always an object';
  if (root === false) yield { pointer: '', detail };
  else if (isObject(root) && root.type !== undefined && ![root.type].flat().includes('object'))
    yield { pointer: '/type', detail };
}
