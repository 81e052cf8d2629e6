import { pointerTo } from '#event';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { InputError } from '#api';
import { areUnique } from '../values/equality.js';
import { unmetered } from '../values/meter.js';
import { sentenceOf, type Params } from '../values/sentences.js';

let compiled: ValidateFunction | undefined;

/** Where a small document is not a JSON Schema 2020-12 by the published meta-schema; one error for each place. */
export function metaSchemaErrors(schema: unknown): InputError[] {
  compiled ??= metaSchema();
  return compiled(schema) ? [] : onePerPlace(compiled.errors ?? []);
}

function metaSchema(): ValidateFunction {
  // `format` in it only says that references and patterns are such, which is looked at elsewhere.
  const ajv = new Ajv2020({ allErrors: true, validateFormats: false });
  // Ajv's own takes the square of the items, and a member called valueOf for a function.
  const uniqueItems = {
    keyword: 'uniqueItems',
    validate: (unique: boolean, items: unknown[]) => !unique || areUnique(items, unmetered),
  };
  ajv.removeKeyword('uniqueItems').addKeyword({ ...uniqueItems, type: 'array', schemaType: 'boolean' });
  const found = ajv.getSchema('https://json-schema.org/draft/2020-12/schema');
  if (!found) throw new Error('Ajv has no meta-schema of 2020-12');
  return found;
}

/** The meta-schema says each thing several times, once for each of its parts. */
function onePerPlace(errors: readonly ErrorObject[]): InputError[] {
  const details = new Map<string, Set<string>>();
  for (const error of errors) {
    const pointer = pointerOf(error);
    const known = details.get(pointer) ?? new Set();
    if (error.keyword !== 'anyOf') known.add(sentenceOf(error.keyword, error.params as Params));
    details.set(pointer, known);
  }
  return [...details].map(([pointer, all]) => ({
    pointer,
    detail: [...all].join(', or ') || 'is not valid',
  }));
}

function pointerOf({ instancePath, propertyName }: ErrorObject): string {
  return propertyName === undefined ? instancePath : pointerTo(instancePath, propertyName);
}
