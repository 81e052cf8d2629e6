import { formats } from '../../values/formats.js';
import { isAtLeast, isAtMost } from '../../values/text-length.js';
import type { ValueCheck, CompilableSchema } from './check.js';

/**
 * Length in characters from which a text is charged with more steps, because a check of `format` may scan it several
 * times.
 */
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
