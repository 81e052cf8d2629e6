import { areUnique } from '../values/equality.js';
import { allOfChecks, type CompilableSchema } from './check.js';
import type { ValueCheck } from './validation-context.js';

type JsonArray = readonly unknown[];

/** Compiles the keywords for arrays, such as `minItems`, `items` and `contains`, to checks of arrays. */
export function arrayChecks(at: CompilableSchema): ValueCheck<JsonArray>[] {
  const { minItems, maxItems, uniqueItems } = at.schema;
  const checks: ValueCheck<JsonArray>[] = [];
  if (typeof minItems === 'number')
    checks.push(({ length }, run) => length >= minItems || run.refuse('minItems', { limit: minItems }));
  if (typeof maxItems === 'number')
    checks.push(({ length }, run) => length <= maxItems || run.refuse('maxItems', { limit: maxItems }));
  checks.push(...itemChecks(at));
  if (uniqueItems === true) checks.push((items, run) => areUnique(items, run) || run.refuse('uniqueItems'));
  if ('contains' in at.schema) checks.push(containsCheck(at));
  return checks;
}

function itemChecks({ schema, inner }: CompilableSchema): ValueCheck<JsonArray>[] {
  const prefix = ((schema.prefixItems as unknown[] | undefined) ?? []).map((_, index) =>
    inner('prefixItems', index),
  );
  const checks: ValueCheck<JsonArray>[] = prefix.map(
    (check, index) => (items, run) => index >= items.length || run.part(check, items[index], index),
  );
  const limit = prefix.length;
  if (schema.items === false)
    checks.push(({ length }, run) => length <= limit || run.refuse('items', { limit }));
  else if (schema.items !== undefined && schema.items !== true) checks.push(restCheck(inner('items'), limit));
  return checks.length === 0 ? [] : [allOfChecks(checks)];
}

function restCheck(check: ValueCheck, start: number): ValueCheck<JsonArray> {
  return (items, run) => {
    let fits = true;
    for (let i = start; i < items.length; i++) {
      if (run.part(check, items[i], i)) continue;
      if (!run.goesOn) return false;
      fits = false;
    }
    return fits;
  };
}

/** Compiles `contains`: counts the items that fit, and stops as soon as the result is certain. */
function containsCheck({ schema, inner }: CompilableSchema): ValueCheck<JsonArray> {
  const { minContains = 1, maxContains = Infinity } = schema as Record<string, number | undefined>;
  const check = inner('contains');
  return (items, run) => {
    let count = 0;
    for (const item of items) {
      run.charge(1);
      if (!run.fits(check, item)) continue;
      count++;
      if (count > maxContains || (count >= minContains && maxContains === Infinity)) break;
    }
    if (count >= minContains && count <= maxContains) return true;
    return run.refuse('contains', { minContains, maxContains: schema.maxContains });
  };
}
