import type { InputError } from '#contracts';
import { schemaBounds } from '../bounds.js';
import { below } from './json-pointer.js';
import { isObject, type Schema } from './schema.js';

export function* countErrors(subschemas: ReadonlyMap<string, Schema>): Generator<InputError> {
  const most = schemaBounds.subschemas;
  if (subschemas.size > most)
    yield { pointer: '', detail: `holds ${subschemas.size} schemas; at most ${most} are allowed` };
}

/**
 * Beside these, Ajv's unevaluatedProperties is wrong: it takes what `if` names for looked at when the condition does not
 * hold, and fails on patternProperties behind a oneOf.
 */
const notBesideUnevaluated = ['if', 'patternProperties'];

export function* unevaluatedErrors(subschemas: ReadonlyMap<string, Schema>): Generator<InputError> {
  const used = new Set([...subschemas.values()].flatMap((schema) => Object.keys(schema)));
  const disturbing = notBesideUnevaluated.find((keyword) => used.has(keyword));
  if (disturbing === undefined) return;
  const detail = `cannot be checked in a document that also uses ${disturbing}. Use additionalProperties, or oneOf instead of if.`;
  for (const [pointer, schema] of subschemas)
    if (Object.keys(schema).includes('unevaluatedProperties'))
      yield { pointer: below(pointer, 'unevaluatedProperties'), detail };
}

export function* rootErrors(root: Schema): Generator<InputError> {
  const detail = 'refuses every event: the data of an event is always an object';
  if (root === false) yield { pointer: '', detail };
  else if (isObject(root) && root.type !== undefined && ![root.type].flat().includes('object'))
    yield { pointer: '/type', detail };
}
