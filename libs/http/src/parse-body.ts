import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { limits, nestsDeeperThan, ProblemError } from '#contracts';
import { escapePointer, inputErrors, mostErrors } from './input-errors.js';
import { propertiesOf } from './properties-of.js';
import { bodyOf } from './read-body.js';

/**
 * Reads a JSON body into a class-validator class, for everything but the hot write path.
 * @throws ProblemError invalid_json, or invalid_request with a JSON pointer to each unknown or wrong field.
 */
export function parseBody<T extends object>(type: new () => T, request: FastifyRequest): T {
  const value = jsonBody(request);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ProblemError('invalid_request', 'The body must be a JSON object.', {
      errors: [{ pointer: '', detail: 'must be an object' }],
    });
  refuseUnknown(value, propertiesOf(type));
  const body = plainToInstance(type, value, { exposeDefaultValues: true });
  const errors = inputErrors(validateSync(body, { whitelist: true, forbidNonWhitelisted: true }), 'body');
  if (errors.length === 0) return body;
  throw new ProblemError('invalid_request', 'The body is not valid.', { errors });
}

/** Before the transformer, which works on everything that is there and leaves some names out without a word. */
function refuseUnknown(value: object, known: ReadonlySet<string>): void {
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  const errors = unknown.slice(0, mostErrors).map((name) => ({
    pointer: `/${escapePointer(name)}`,
    detail: 'is not a known field',
  }));
  throw new ProblemError('invalid_request', 'The body has unknown fields.', { errors });
}

/** @throws ProblemError invalid_json */
export function jsonBody(request: FastifyRequest): unknown {
  return parseJson(bodyOf(request).toString());
}

/**
 * JSON text as a value; nesting is bounded before it is parsed.
 * @throws ProblemError invalid_json
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
