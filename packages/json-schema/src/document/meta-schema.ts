import { jsonPointerTo } from '#json';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { SchemaProblem } from './invalid-schema-error.js';
import { areUnique } from '../values/equality.js';
import { unlimitedMeter } from '../values/step-meter.js';
import { errorSentence, type ErrorParams } from '../values/error-sentences.js';

let compiled: ValidateFunction | undefined;

/** Returns the errors of the meta-schema of 2020-12, one for each location. The schema's size is limited. */
export function metaSchemaErrors(schema: unknown): SchemaProblem[] {
  compiled ??= metaSchema();
  return compiled(schema) ? [] : onePerPlace(compiled.errors ?? []);
}

function metaSchema(): ValidateFunction {
  // In the meta-schema, `format` only marks references and patterns; these are checked elsewhere.
  const ajv = new Ajv2020({ allErrors: true, validateFormats: false });
  // Ajv's own implementation takes quadratic time, and treats a member named `valueOf` as a function.
  const uniqueItems = {
    keyword: 'uniqueItems',
    validate: (unique: boolean, items: unknown[]) => !unique || areUnique(items, unlimitedMeter),
  };
  ajv.removeKeyword('uniqueItems').addKeyword({ ...uniqueItems, type: 'array', schemaType: 'boolean' });
  const found = ajv.getSchema('https://json-schema.org/draft/2020-12/schema');
  if (!found) throw new Error('Ajv has no meta-schema of 2020-12');
  return found;
}

/** Merges errors at one location: the meta-schema reports a fault once for each of its vocabularies. */
function onePerPlace(errors: readonly ErrorObject[]): SchemaProblem[] {
  const details = new Map<string, Set<string>>();
  for (const error of errors) {
    const pointer = pointerOf(error);
    const known = details.get(pointer) ?? new Set();
    if (error.keyword !== 'anyOf') known.add(errorSentence(error.keyword, error.params as ErrorParams));
    details.set(pointer, known);
  }
  return [...details].map(([pointer, all]) => ({
    pointer,
    detail: [...all].join(', or ') || 'is not valid',
  }));
}

function pointerOf({ instancePath, propertyName }: ErrorObject): string {
  return propertyName === undefined ? instancePath : jsonPointerTo(instancePath, propertyName);
}
