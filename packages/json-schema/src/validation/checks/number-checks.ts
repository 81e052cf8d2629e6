import { compareNumbers, isMultipleOf, type JsonNumber } from '../../values/decimal.js';
import type { ValueCheck, CompilableSchema } from './check.js';

const within: Readonly<Record<string, (order: number) => boolean>> = {
  minimum: (order) => order >= 0,
  maximum: (order) => order <= 0,
  exclusiveMinimum: (order) => order > 0,
  exclusiveMaximum: (order) => order < 0,
};

/**
 * Compiles `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum` and `multipleOf`. Numbers are
 * compared as exact decimals.
 */
export function numberChecks({ schema }: CompilableSchema): ValueCheck<JsonNumber>[] {
  const checks: ValueCheck<JsonNumber>[] = [];
  for (const [keyword, isWithin] of Object.entries(within)) {
    const limit = schema[keyword];
    if (typeof limit !== 'number') continue;
    checks.push((value, run) => isWithin(compareNumbers(value, limit)) || run.refuse(keyword, { limit }));
  }
  if (typeof schema.multipleOf !== 'number') return checks;
  const fits = isMultipleOf(schema.multipleOf);
  checks.push((value, run) => fits(value, run) || run.refuse('multipleOf', schema));
  return checks;
}
