import { allOfChecks, type CompilableSchema } from './check.js';
import type { ValueCheck } from './validation-context.js';

type JsonMembers = Readonly<Record<string, unknown>>;

/** Compiles the keywords for objects, their members and their names to checks of objects. */
export function objectChecks(at: CompilableSchema): ValueCheck<JsonMembers>[] {
  const { minProperties, maxProperties } = at.schema;
  const checks: ValueCheck<JsonMembers>[] = [];
  if (typeof minProperties === 'number')
    checks.push(
      (value, run) =>
        run.namesOf(value).length >= minProperties || run.refuse('minProperties', { limit: minProperties }),
    );
  if (typeof maxProperties === 'number')
    checks.push(
      (value, run) =>
        run.namesOf(value).length <= maxProperties || run.refuse('maxProperties', { limit: maxProperties }),
    );
  return [...checks, ...requiredChecks(at), ...membersCheck(at)];
}

function requiredChecks({ schema }: CompilableSchema): ValueCheck<JsonMembers>[] {
  const { required, dependentRequired } = schema;
  const checks = ((required as string[] | undefined) ?? []).map(
    (name): ValueCheck<JsonMembers> =>
      (value, run) =>
        Object.hasOwn(value, name) || run.refuse('required', {}, name),
  );
  for (const [property, names] of Object.entries((dependentRequired as Record<string, string[]>) ?? {}))
    checks.push((value, run) => {
      if (!Object.hasOwn(value, property)) return true;
      const missing = names.find((name) => !Object.hasOwn(value, name));
      return missing === undefined || run.refuse('dependentRequired', { property }, missing);
    });
  return checks.length === 0 ? [] : [allOfChecks(checks)];
}

function membersCheck(at: CompilableSchema): ValueCheck<JsonMembers>[] {
  const { schema, inner } = at;
  const known = Object.keys((schema.properties as object | undefined) ?? {}).map(
    (name) => [name, inner('properties', name)] as const,
  );
  const others = othersCheck(at, new Set(known.map(([name]) => name)));
  if (known.length === 0 && !others) return [];
  const checks = known.map(([name, check]): ValueCheck<JsonMembers> => (value, run) => {
    if (!Object.hasOwn(value, name)) return true;
    run.evaluated?.add(name);
    return run.part(check, value[name], name);
  });
  return [allOfChecks(others ? [...checks, others] : checks)];
}

/** Checks, in one loop over all members, the keywords that apply to each of them. */
function othersCheck(
  { schema, inner, pattern }: CompilableSchema,
  known: ReadonlySet<string>,
): ValueCheck<JsonMembers> | undefined {
  const { propertyNames, additionalProperties } = schema;
  const patterns = Object.keys((schema.patternProperties as object | undefined) ?? {}).map(
    (source) => [pattern(source), inner('patternProperties', source)] as const,
  );
  if (propertyNames === undefined && additionalProperties === undefined && patterns.length === 0)
    return undefined;
  const ofName = propertyNames === undefined ? undefined : inner('propertyNames');
  const additional = additionalProperties === undefined ? undefined : inner('additionalProperties');
  const check: ValueCheck<[JsonMembers, string]> = ([value, name], run) => {
    let fits = ofName === undefined || run.nameOf(ofName, name);
    let isKnown = known.has(name);
    for (const [matches, one] of patterns) {
      if (!matches(name, run)) continue;
      isKnown = true;
      fits = (fits || run.goesOn) && run.part(one, value[name], name) && fits;
    }
    if (isKnown || !additional) {
      if (isKnown) run.evaluated?.add(name);
      return fits;
    }
    run.evaluated?.add(name);
    if (additionalProperties === false) return run.refuse('additionalProperties', {}, name);
    return (fits || run.goesOn) && run.part(additional, value[name], name) && fits;
  };
  return (value, run) => {
    let fits = true;
    for (const name of run.namesOf(value)) {
      run.charge(3);
      if (check([value, name], run)) continue;
      if (!run.goesOn) return false;
      fits = false;
    }
    return fits;
  };
}

/** Compiles `unevaluatedProperties`, which runs after `others`, the check of all other keywords for the value. */
export function unevaluatedCheck({ schema, inner }: CompilableSchema, others: ValueCheck): ValueCheck {
  const check = inner('unevaluatedProperties');
  const refusesAll = schema.unevaluatedProperties === false;
  return (value, run) => {
    const evaluated = run.evaluating(others, value);
    if (!evaluated) return false;
    const names = run.namesOf(value as JsonMembers);
    let fits = true;
    for (const name of names) {
      run.charge(4);
      run.evaluated?.add(name);
      if (evaluated.has(name)) continue;
      const fitting = refusesAll
        ? run.refuse('unevaluatedProperties', {}, name)
        : run.part(check, (value as JsonMembers)[name], name);
      if (fitting) continue;
      if (!run.goesOn) return false;
      fits = false;
    }
    return fits;
  };
}
