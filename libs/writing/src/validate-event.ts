import { Ajv, type ErrorObject } from 'ajv';
import { schemaOf, shortPointerTo } from '#http';
import { EventInput, plainTextPattern, plainTextRule, type InputError } from '#api';
import { streamNamePattern, streamNameRule, uuidPattern, uuidRule } from '#event';

/** A valid event for `isEvent`. An optional field may be null, which is the same as a missing field. */
export interface ValidEvent {
  stream: string;
  event_type: string;
  data: object;
  entity_id?: string | null;
  timestamp?: string | null;
  event_id?: string | null;
  expected_version?: number | null;
  metadata?: object | null;
}

// Formats are checked where the values are parsed, with the same functions as everywhere else.
const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false, unicodeRegExp: true });
const compiled = ajv.compile<ValidEvent>(schemaOf(EventInput));

/** Validates a parsed JSON value with the validator that is compiled from `EventInput`. */
export function isEvent(value: unknown): value is ValidEvent {
  return compiled(value);
}

/** Error texts for the patterns of an event. */
const rules = new Map([
  [streamNamePattern.source, streamNameRule],
  [uuidPattern.source, uuidRule],
  [plainTextPattern.source, plainTextRule],
]);

/** Maximum number of errors of one event in an answer. */
export const mostErrorsOfEvent = 20;

/** Returns the first errors of the value that `isEvent` has just rejected. @param prefix Prefix of their pointers */
export function eventErrors(prefix: string): InputError[] {
  return (compiled.errors ?? []).slice(0, mostErrorsOfEvent).map((error) => ({
    pointer: prefix + pointerOf(error),
    detail: detailOf(error),
  }));
}

function pointerOf({ instancePath, keyword, params }: ErrorObject): string {
  const { additionalProperty, missingProperty } = params as Record<string, string | undefined>;
  const member = keyword === 'required' ? missingProperty : additionalProperty;
  return member === undefined ? shortened(instancePath) : shortPointerTo(instancePath, member);
}

/** Shortens an escaped pointer, because its last part may be a long name of the client. */
function shortened(path: string): string {
  return path.length > 200 ? `${path.slice(0, 200)}…` : path;
}

function detailOf({ keyword, message, params }: ErrorObject): string {
  if (keyword === 'required') return 'is required';
  if (keyword === 'additionalProperties') return 'is not a known field';
  if (keyword === 'type')
    return `must be ${[(params as { type: string | string[] }).type].flat().join(' or ')}`;
  if (keyword === 'pattern')
    return rules.get((params as { pattern: string }).pattern) ?? 'has an invalid format';
  return message ?? 'is not valid';
}
