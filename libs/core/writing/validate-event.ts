import { Ajv, type ErrorObject } from 'ajv';
import { schemaOf, shortPointerTo, unknownField } from '#http';
import { EventInput, plainTextPattern, plainTextRule, type InputProblem } from '#api';
import { streamNamePattern, streamNameRule, uuidPattern, uuidRule } from '#event';

/**
 * A parsed JSON value with the structure of `EventInput`, as a client sends an event. The formats, the size and the
 * schema of the event are not checked yet. An optional field may be null, which is the same as a missing field.
 */
interface StructurallyValidEvent {
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
const schema = schemaOf(EventInput);
const compiled = ajv.compile<StructurallyValidEvent>(schema);
const fields = Object.keys(schema.properties ?? {});

/**
 * Returns whether a parsed JSON value has the structure of `EventInput`, with a validator that is compiled from that
 * class. Formats, such as that of times, are not checked here. `eventErrors` returns the errors of the last call.
 */
export function isEvent(value: unknown): value is StructurallyValidEvent {
  return compiled(value);
}

/** Error texts by the regular expression that a field of an event does not match. */
const rules = new Map([
  [streamNamePattern.source, streamNameRule],
  [uuidPattern.source, uuidRule],
  [plainTextPattern.source, plainTextRule],
]);

/** Maximum number of errors of one event in an answer. */
export const mostErrorsOfEvent = 20;

/**
 * Returns the first 20 errors of the value that `isEvent` has rejected last. @param prefix Prefix of their JSON
 * pointers
 */
export function eventErrors(prefix: string): InputProblem[] {
  const errors = (compiled.errors ?? []).slice(0, mostErrorsOfEvent);
  // Only the first of them lists the known fields, because a batch may have many events with unknown ones.
  const firstUnknown = errors.findIndex(isUnknownField);
  return errors.map((error, i) => ({
    pointer: prefix + pointerOf(error),
    detail: i === firstUnknown ? unknownField(fields) : detailOf(error),
  }));
}

/** Whether the error is an unknown field of the event, and not one of its `metadata`. */
function isUnknownField({ keyword, instancePath }: ErrorObject): boolean {
  return keyword === 'additionalProperties' && instancePath === '';
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
