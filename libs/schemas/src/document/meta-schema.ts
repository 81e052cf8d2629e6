import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { InputError } from '#contracts';
import { Meter } from '../validation/meter.js';
import { safeKeywords } from '../validation/safe-keywords.js';
import { violations } from '../validation/violations.js';

let compiled: ValidateFunction | undefined;

/** Where a document is not a JSON Schema 2020-12 by the published meta-schema; one error for each place. */
export function metaSchemaErrors(schema: unknown): InputError[] {
  compiled ??= metaSchema();
  if (compiled(schema)) return [];
  return onePerPlace(violations(compiled.errors ?? [], Infinity));
}

function metaSchema(): ValidateFunction {
  // `format` in it only says that references and patterns are such, which is looked at elsewhere.
  const ajv = new Ajv2020({ allErrors: true, validateFormats: false });
  const ours = safeKeywords(Object.assign(new Meter(), { left: Infinity }));
  for (const { keyword } of ours) ajv.removeKeyword(String(keyword));
  const found = ajv.addVocabulary(ours).getSchema('https://json-schema.org/draft/2020-12/schema');
  if (!found) throw new Error('Ajv has no meta-schema of 2020-12');
  return found;
}

/** The meta-schema says each thing several times, once for each of its parts. */
function onePerPlace(errors: InputError[]): InputError[] {
  const details = new Map<string, Set<string>>();
  for (const { pointer, detail } of errors) {
    const known = details.get(pointer) ?? new Set();
    if (!detail.startsWith('fits none')) known.add(detail);
    details.set(pointer, known);
  }
  return [...details].map(([pointer, all]) => ({
    pointer,
    detail: [...all].join(', or ') || 'is not valid',
  }));
}
