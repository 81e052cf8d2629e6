import type { EpochMicros } from '#json';
import { ProblemError, type InputProblem } from '#api';
import { expectedVersionRule, eventErrors, isEvent } from '#writing';
import {
  clientId,
  clientIdRule,
  mappedTime,
  mappedTimeRule,
  mappedVersion,
  mappedVersionRule,
} from './mapped-values.js';
import { JsonPointerScanner } from './pointer-tree.js';

/** Fields of an event that the query of a raw write maps; `data` is the value itself. */
export const mappedFields = ['event_type', 'entity_id', 'event_id', 'timestamp', 'expected_version'] as const;
/** Name of an event field that the query parameters of a raw write map. */
export type MappedFieldName = (typeof mappedFields)[number];

/**
 * The query parameters of a raw write: for each event field a constant, or a JSON pointer into the value, which begins
 * with `/`.
 */
type FieldSources = Partial<Record<MappedFieldName, string>>;

/** Event fields that were found in a raw value, before their validation; undefined and null mean a missing field. */
export type UnvalidatedFields = Partial<Record<MappedFieldName, unknown>>;

/** Event fields of a raw value after their validation. */
interface MappedEventFields {
  event_type: string;
  entity_id: string | null;
  event_id: string | undefined;
  timestamp: EpochMicros | undefined;
  expected_version: number | null;
}

/** Maps raw JSON values to the fields of events, as the query parameters of a raw write specify. */
export class FieldMapping {
  /** The event fields whose parameter is a JSON pointer, in the order of `tree.spans`. */
  readonly pointers: readonly MappedFieldName[];
  readonly tree: JsonPointerScanner;
  /** The fields of every event, if all parameters are constants; otherwise undefined. */
  readonly fixed: MappedEventFields | undefined;
  private readonly constants: UnvalidatedFields;

  /** @throws ProblemError when a parameter is neither a valid constant for its field nor a JSON pointer */
  constructor(
    readonly stream: string,
    readonly text: FieldSources,
  ) {
    this.pointers = mappedFields.filter((field) => text[field]?.startsWith('/'));
    this.constants = Object.fromEntries(Object.entries(text).filter(([, source]) => !source.startsWith('/')));
    const isMapped = (field: MappedFieldName) => this.text[field]?.startsWith('/');
    const constants = this.fieldsOf({
      ...(isMapped('event_type') && { event_type: 'any' }),
      ...(isMapped('entity_id') && { entity_id: 'any' }),
    });
    const errors = [
      ...(Array.isArray(constants) ? constants : []),
      ...this.pointers.flatMap(pointerErrors(text)),
    ];
    if (errors.length > 0)
      throw new ProblemError('invalid_request', 'The query parameters are not valid.', { errors });
    this.fixed = this.pointers.length === 0 ? (constants as MappedEventFields) : undefined;
    this.tree = new JsonPointerScanner(this.pointers.map((field) => text[field]!));
  }

  /** Whether the parameter `event_id` is a constant, so that the body may contain only one value. */
  get isOfOne(): boolean {
    return this.constants.event_id !== undefined;
  }

  /**
   * Returns the validated fields of an event from the values that the pointers found and the constants; or errors with
   * the names of the fields as pointers.
   */
  fieldsOf(found: UnvalidatedFields): MappedEventFields | InputProblem[] {
    const { constants, stream } = this;
    const event_type = found.event_type ?? constants.event_type;
    const entity_id = found.entity_id ?? constants.entity_id;
    const timestamp = found.timestamp ?? constants.timestamp;
    const event_id = found.event_id ?? constants.event_id;
    const errors = isEvent({ stream, event_type, entity_id, timestamp, data: someObject })
      ? []
      : errorsByField();
    const time = typeof timestamp === 'string' ? mappedTime(timestamp) : undefined;
    const id = event_id == null ? undefined : clientId(event_id);
    if (typeof timestamp === 'string' && time === undefined)
      errors.push({ pointer: 'timestamp', detail: mappedTimeRule });
    if (event_id != null && id === undefined) errors.push({ pointer: 'event_id', detail: clientIdRule });
    const expected_version = mappedVersion(found.expected_version ?? constants.expected_version);
    if (expected_version === undefined)
      errors.push({ pointer: 'expected_version', detail: mappedVersionRule });
    else if (expected_version !== null && entity_id == null)
      errors.push({ pointer: 'expected_version', detail: expectedVersionRule });
    if (errors.length > 0) return errors;
    return {
      event_type: event_type as string,
      entity_id: (entity_id as string | null | undefined) ?? null,
      event_id: id,
      timestamp: time,
      expected_version: expected_version ?? null,
    };
  }
}

const someObject: object = Object.freeze({});

function errorsByField(): InputProblem[] {
  return eventErrors('').map(({ pointer, detail }) => ({ pointer: pointer.slice(1), detail }));
}

function pointerErrors(text: FieldSources): (field: MappedFieldName) => InputProblem[] {
  const detail = 'must be a JSON pointer (RFC 6901), in which ~0 means ~ and ~1 means /';
  return (field) => (/~(?![01])/.test(text[field]!) ? [{ pointer: field, detail }] : []);
}
