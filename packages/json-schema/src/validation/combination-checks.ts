import type { CompilableSchema } from './check.js';
import type { ValueCheck } from './validation-context.js';

/** Compiles the keywords that combine schemas, such as `allOf`, `not` and `if`, to checks of values. */
export function combinationChecks(at: CompilableSchema): ValueCheck[] {
  const { schema } = at;
  return [
    ...branches(at, 'allOf'),
    ...('anyOf' in schema ? [anyOf(branches(at, 'anyOf'))] : []),
    ...('oneOf' in schema ? [oneOf(branches(at, 'oneOf'))] : []),
    ...('not' in schema ? [not(at.inner('not'))] : []),
    ...('if' in schema ? [condition(at)] : []),
    ...dependentSchemas(at),
  ];
}

function branches({ schema, inner }: CompilableSchema, keyword: string): ValueCheck[] {
  return ((schema[keyword] as unknown[] | undefined) ?? []).map((_, index) => inner(keyword, index));
}

function anyOf(checks: readonly ValueCheck[]): ValueCheck {
  return (value, run) => {
    let fits = false;
    for (const check of checks) {
      if (run.branch(check, value)) fits = true;
      // Every fitting branch is needed if `unevaluatedProperties` applies, because each one may evaluate
      // other members.
      if (fits && !run.evaluated) return true;
    }
    return fits || noneFits('anyOf', { checks, value, run });
  };
}

function oneOf(checks: readonly ValueCheck[]): ValueCheck {
  return (value, run) => {
    let fitting = 0;
    for (const check of checks)
      if (run.branch(check, value) && ++fitting > 1) return run.refuse('oneOf', { passingSchemas: true });
    return fitting === 1 || noneFits('oneOf', { checks, value, run });
  };
}

/** Rejects a value that fits no branch; reports each branch's errors if several errors are collected. */
function noneFits(
  keyword: string,
  { checks, value, run }: { checks: readonly ValueCheck[]; value: unknown; run: Parameters<ValueCheck>[1] },
): false {
  for (const check of checks) if (run.goesOn) check(value, run);
  return run.refuse(keyword);
}

function not(check: ValueCheck): ValueCheck {
  return (value, run) => !run.fits(check, value) || run.refuse('not');
}

function condition({ schema, inner }: CompilableSchema): ValueCheck {
  const holds = inner('if');
  const fits: ValueCheck = () => true;
  const then = 'then' in schema ? inner('then') : fits;
  const otherwise = 'else' in schema ? inner('else') : fits;
  return (value, run) => (run.branch(holds, value) ? then : otherwise)(value, run);
}

function dependentSchemas({ schema, inner }: CompilableSchema): ValueCheck[] {
  return Object.keys((schema.dependentSchemas as object | undefined) ?? {}).map((name) => {
    const check = inner('dependentSchemas', name);
    return (value, run) =>
      typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name)
        ? true
        : check(value, run);
  });
}
