import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { isJsonObject, nestsDeeperThan } from '#json';
import { limits } from '#event';
import { ProblemError } from '#api';
import { inputErrors, mostErrors, unknownFields } from '../problems/input-errors.js';
import { rememberOriginal } from './verbatim.js';
import { requireConsistent } from './consistent.js';
import { propertiesOf } from '../properties-of.js';
import { bytesOf } from '../body/read-body.js';

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

/**
 * Removes members with the name `constructor`, because class-transformer would use them to copy the object.
 * class-transformer leaves out members with the name `constructor` anyway: mark a property that allows any member name
 * with `Verbatim`.
 */
function withoutConstructors(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return rememberOriginal(value.map(withoutConstructors), value);
  const members = Object.entries(value).filter(([name]) => name !== 'constructor');
  const rest = Object.fromEntries(members.map(([name, member]) => [name, withoutConstructors(member)]));
  return rememberOriginal(rest, value);
}

/**
 * Parses JSON text, after checking that it is not nested too deeply.
 * @throws ProblemError `invalid_json`
 */
export function parseJson(text: string): unknown {
  if (nestsDeeperThan(text, limits.jsonDepth))
    throw new ProblemError('invalid_json', `JSON may be nested ${limits.jsonDepth} levels deep at most.`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ProblemError('invalid_json', `The body is not valid JSON: ${(error as Error).message}`);
  }
}
