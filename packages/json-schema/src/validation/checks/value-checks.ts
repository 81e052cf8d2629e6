import { isInteger, type JsonNumber } from '../../values/decimal.js';
import { isOneOf } from '../../values/equality.js';
import type { ValueCheck, JsonKind, CompilableSchema } from './check.js';

/** Compiles the keyword `type` to a function that checks a value whose kind is already known. */
export function typeCheck(type: unknown): (kind: JsonKind, value: unknown) => boolean {
  const types = new Set<unknown>([type].flat());
  if (types.has('number') || !types.has('integer')) return (kind) => types.has(kind);
  return (kind, value) => types.has(kind) || (kind === 'number' && isInteger(value as JsonNumber));
}

/** Compiles the keywords `const` and `enum` of a schema to checks of values. */
export function valueChecks({ schema }: CompilableSchema): ValueCheck[] {
  const checks: ValueCheck[] = [];
  if ('const' in schema) {
    const isIt = isOneOf([schema.const]);
    const params = { allowedValue: schema.const };
    checks.push((value, run) => isIt(value, run) || run.refuse('const', params));
  }
  if (Array.isArray(schema.enum)) {
    const isAmong = isOneOf(schema.enum);
    const params = { allowedValues: schema.enum };
    checks.push((value, run) => isAmong(value, run) || run.refuse('enum', params));
  }
  return checks;
}
