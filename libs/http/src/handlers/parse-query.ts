import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ProblemError, type InputError } from '#api';
import { inputErrors, mostErrors } from '../problems/input-errors.js';
import { requireConsistent } from './consistent.js';
import { propertiesOf } from './properties-of.js';
import { throwProblemIn } from './read-value.js';

const repeatable = Symbol('repeatable');

/** Marks a query parameter that may be given several times: the property is an array, also of one. */
export function Repeatable(): PropertyDecorator {
  return (target, key) => {
    const present = (Reflect.getMetadata(repeatable, target.constructor) as Set<string> | undefined) ?? [];
    Reflect.defineMetadata(repeatable, new Set([...present, String(key)]), target.constructor);
  };
}

/**
 * Reads the query parameters of a request into a class-validator class. Defaults are the class's initializers.
 * @throws ProblemError invalid_request naming every parameter that is unknown, repeated or wrong; the problem that a
 * value has; what `requireConsistent` of the class throws.
 */
export function parseQuery<T extends object>(type: new () => T, rawQuery: unknown): T {
  const many = (Reflect.getMetadata(repeatable, type) as Set<string> | undefined) ?? new Set<string>();
  const known = propertiesOf(type);
  const values: Record<string, unknown> = {};
  const errors: InputError[] = [];
  for (const [name, value] of Object.entries(rawQuery as Record<string, string | string[]>)) {
    if (!known.has(name)) errors.push({ pointer: name, detail: unknownParameter(known) });
    else if (many.has(name)) values[name] = [value].flat();
    else if (Array.isArray(value)) errors.push({ pointer: name, detail: 'must be given once' });
    else values[name] = value;
  }
  const query = plainToInstance(type, values, { exposeDefaultValues: true });
  // A class without properties is one that the validator does not know.
  if (known.size > 0) errors.push(...inputErrors(validateSync(query), 'parameter'));
  if (errors.length > 0)
    throw new ProblemError('invalid_request', 'The query parameters are not valid.', {
      errors: errors.slice(0, mostErrors),
    });
  throwProblemIn(query);
  requireConsistent(query);
  return query;
}

function unknownParameter(known: ReadonlySet<string>): string {
  if (known.size === 0) return 'is not a parameter of this address: it has none';
  return `is not a parameter of this address; these are: ${[...known].sort().join(', ')}`;
}
