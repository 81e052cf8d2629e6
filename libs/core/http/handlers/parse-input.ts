import { plainToInstance, Transform } from 'class-transformer';
import { validateSync } from 'class-validator';
import { ProblemError, type InputProblem } from '#api';
import { limits } from '#event';
import { isJsonObject, nestsDeeperThan } from '#json';
import { bytesOf } from '../body/read-body.js';
import { inputErrors, mostErrors, propertiesOf, unknownFields } from '../problems/input-errors.js';
import { throwProblemIn } from './parse-value.js';

/** A body or query class that checks, after each field was found valid, that its fields are consistent. */
export interface HasCrossFieldCheck {
  /** Checks that the fields are consistent. @throws ProblemError when they are not */
  requireConsistent(): void;
}

function requireConsistent(input: object): void {
  if ('requireConsistent' in input) (input as HasCrossFieldCheck).requireConsistent();
}

/**
 * Parses a JSON body into a class-validator class. The hot write path does not use it.
 * @param sent The bytes of the body.
 * @throws ProblemError `invalid_json`; `invalid_request` with a JSON pointer to each unknown, missing or wrong field;
 * any problem of the class's `requireConsistent`
 */
export function parseBody<T extends object>(type: new () => T, sent: unknown): T {
  const value = parseJson(bytesOf(sent).toString());
  if (!isJsonObject(value))
    throw new ProblemError('invalid_request', 'The body must be a JSON object.', {
      errors: [{ pointer: '', detail: 'must be an object' }],
    });
  const names = propertiesOf(type);
  // Pass known fields only: the transformer silently leaves out some names, which the check below would then not find.
  const known = Object.fromEntries(Object.entries(value).filter(([name]) => names.has(name)));
  const body = plainToInstance(type, withoutConstructors(known), { exposeDefaultValues: true });
  const wrong = inputErrors(validateSync(body, { whitelist: true, forbidNonWhitelisted: true }), 'body');
  const errors = [...unknownFields(value, names), ...wrong].slice(0, mostErrors);
  if (errors.length > 0) {
    const detail = wrong.length > 0 ? 'The body is not valid.' : 'The body has unknown fields.';
    throw new ProblemError('invalid_request', detail, { errors });
  }
  requireConsistent(body);
  return body;
}

/** The original object of each copy that `withoutConstructors` has made. */
const originals = new WeakMap<object, unknown>();

/**
 * Removes members with the name `constructor`, because class-transformer would use them to copy the object.
 * class-transformer leaves out members with the name `constructor` anyway: mark a property that allows any member name
 * with `Verbatim`.
 */
function withoutConstructors(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const copy = Array.isArray(value)
    ? value.map(withoutConstructors)
    : Object.fromEntries(
        Object.entries(value).flatMap(([name, member]) =>
          name === 'constructor' ? [] : [[name, withoutConstructors(member)]],
        ),
      );
  originals.set(copy, value);
  return copy;
}

/** Passes a field of the body to the handler with members of any name; class-transformer would leave out some. */
export function Verbatim(): PropertyDecorator {
  return Transform(({ obj, key }: { obj: Record<string, unknown>; key: string }) => {
    const value = obj[key];
    return typeof value === 'object' && value !== null ? originals.get(value) : value;
  });
}

/** Parses JSON text, after checking that it is not nested too deeply. @throws ProblemError `invalid_json` */
export function parseJson(text: string): unknown {
  if (nestsDeeperThan(text, limits.jsonDepth))
    throw new ProblemError('invalid_json', `JSON may be nested ${limits.jsonDepth} levels deep at most.`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProblemError('invalid_json', `The body is not valid JSON: ${(error as Error).message}`);
  }
}

const repeatable = Symbol('repeatable');

/** Marks a query parameter that may be repeated. The property of a repeatable query parameter is always an array. */
export function Repeatable(): PropertyDecorator {
  return ({ constructor }, key) =>
    Reflect.defineMetadata(repeatable, new Set([...repeatableOf(constructor), String(key)]), constructor);
}

function repeatableOf(type: object): ReadonlySet<string> {
  return (Reflect.getMetadata(repeatable, type) as Set<string> | undefined) ?? new Set();
}

/**
 * Parses the query parameters of a request into a class-validator class. Defaults are the initializers of the class.
 * @throws ProblemError `invalid_request` with every unknown, repeated or wrong parameter; the problem of a value that
 * has one; any problem of the class's `requireConsistent`
 */
export function parseQuery<T extends object>(type: new () => T, rawQuery: unknown): T {
  const many = repeatableOf(type);
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
