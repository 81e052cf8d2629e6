import { charactersOf } from '#json';
import { isInteger, type JsonNumber, compareNumbers, isMultipleOf } from '../values/decimal.js';
import { isOneOf } from '../values/equality.js';
import type { JsonKind, CompilableSchema } from './check.js';
import type { ValueCheck } from './validation-context.js';
import { formats } from '../values/formats.js';
import type { StepMeter } from '../values/step-meter.js';

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

const within: Readonly<Record<string, (order: number) => boolean>> = {
  minimum: (order) => order >= 0,
  maximum: (order) => order <= 0,
  exclusiveMinimum: (order) => order > 0,
  exclusiveMaximum: (order) => order < 0,
};

/** Compiles `multipleOf` and the keywords for bounds. Numbers are compared as exact decimals. */
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

/** Length from which a text takes more steps: a check of `format` may scan it several times. */
const short = 64;

/** Compiles `minLength`, `maxLength`, `pattern` and `format`. */
export function textChecks({ schema, pattern }: CompilableSchema): ValueCheck<string>[] {
  const { minLength, maxLength, pattern: source, format } = schema;
  const checks: ValueCheck<string>[] = [];
  if (typeof minLength === 'number')
    checks.push(
      (text, run) => isAtLeast(text, minLength, run) || run.refuse('minLength', { limit: minLength }),
    );
  if (typeof maxLength === 'number')
    checks.push(
      (text, run) => isAtMost(text, maxLength, run) || run.refuse('maxLength', { limit: maxLength }),
    );
  if (typeof source === 'string') {
    const matches = pattern(source);
    checks.push((text, run) => matches(text, run) || run.refuse('pattern', schema));
  }
  const isOfFormat = typeof format === 'string' ? formats.get(format) : undefined;
  if (isOfFormat)
    checks.push((text, run) => {
      run.charge(text.length > short ? text.length * 4 : text.length >> 1);
      return isOfFormat(text) || run.refuse('format', schema);
    });
  return checks;
}

/** Whether a text has at most `most` characters (code points). The count is charged to the meter. */
function isAtMost(text: string, most: number, meter: StepMeter): boolean {
  if (text.length <= most) return true;
  return text.length <= 2 * most && counted(text, meter) <= most;
}

/** Whether a text has at least `least` characters (code points). The count is charged to the meter. */
function isAtLeast(text: string, least: number, meter: StepMeter): boolean {
  if (text.length < least) return false;
  return text.length >= 2 * least || counted(text, meter) >= least;
}

function counted(text: string, meter: StepMeter): number {
  meter.charge(text.length >> 2);
  return charactersOf(text);
}
