import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ProblemError, type InputProblem } from '#api';
import { inputErrors, mostErrors } from '../problems/input-errors.js';
import { requireConsistent } from './consistent.js';
import { propertiesOf } from '../properties-of.js';
import { throwProblemIn } from './parse-value.js';

const repeatable = Symbol('repeatable');

/** Marks a query parameter that may be repeated. The property of a repeatable query parameter is always an array. */
export function Repeatable(): PropertyDecorator {
  return (target, key) => {
    const present = (Reflect.getMetadata(repeatable, target.constructor) as Set<string> | undefined) ?? [];
    Reflect.defineMetadata(repeatable, new Set([...present, String(key)]), target.constructor);
  };
}

/**
 * Parses the query parameters of a request into a class-validator class. Defaults are the initializers of the class.
 * @throws ProblemError `invalid_request` with every unknown, repeated or wrong parameter; the problem of a value that
 * has one; any problem of the class's `requireConsistent`
 */
export function parseQuery<T extends object>(type: new () => T, rawQuery: unknown): T {
  const many = (Reflect.getMetadata(repeatable, type) as Set<string> | undefined) ?? new Set<string>();
  const known = propertiesOf(type);
  const values: Record<string, unknown> = {};
  const errors: InputProblem[] = [];
  for (const [name, value] of Object.entries(rawQuery as Record<string, string | string[]>)) {
    if (!known.has(name)) errors.push({ pointer: name, detail: unknownParameter(known) });
    else if (many.has(name)) values[name] = [value].flat();
    else if (Array.isArray(value)) errors.push({ pointer: name, detail: 'must be given once' });
    else values[name] = value;
  }
  const query = plainToInstance(type, values, { exposeDefaultValues: true });
  // The validator does not know classes without properties and would reject them.
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
