import type { InputProblem } from '#api';
import {
  cloudEventMetadataMembers,
  isAttributeInteger,
  isAttributeText,
  isExtensionName,
  limits,
  type CloudEventDataForm,
} from '#event';
import { parseTime, type EpochMicros } from '#json';
import { mappedVersion, mappedVersionRule } from '#features/raw';
import { timeRule, eventErrors, isEvent } from '#writing';

/** Attributes of a CloudEvent as sent, by name; null means unset. */
type CloudEventAttributes = ReadonlyMap<string, unknown>;

/** Fields of a Tributary event that are derived from the attributes of a CloudEvent. */
export interface EventFieldsFromCloudEvent {
  id: string;
  source: string;
  event_type: string;
  entity_id: string | null;
  timestamp: EpochMicros | undefined;
  expected_version: number | null;
  /** The metadata of the event as JSON text. */
  metadata: string;
}

const required = ['id', 'source', 'type'];
const texts = ['specversion', ...required, 'subject', 'time', 'datacontenttype', 'dataschema'];
const someObject: object = Object.freeze({});
/**
 * CloudEvents extension attribute with the expected version of a conditional write. The expected version is not stored
 * with the event.
 */
const expectedVersion = 'expectedversion';
/**
 * The CloudEvents attribute from which each event field with limits of its own is derived, by JSON pointer of the
 * field.
 */
const attributeOf: Readonly<Record<string, string>> = {
  '/event_type': 'type',
  '/entity_id': 'subject',
  '/timestamp': 'time',
};

/**
 * Derives the fields of an event from the attributes of a CloudEvent. Returns the errors of invalid attributes instead,
 * with attribute names as pointers.
 */
export function readAttributes(
  sent: CloudEventAttributes,
  { stream, data }: { stream: string; data: CloudEventDataForm | undefined },
): EventFieldsFromCloudEvent | InputProblem[] {
  const attributes = new Map([...sent].filter(([, value]) => value !== null));
  const errors = [...attributes].flatMap(attributeErrors).concat(missing(attributes));
  if (errors.length > 0) return errors;
  const text = (name: string) => attributes.get(name) as string | undefined;
  const metadata = { ...membersOf(attributes), ...(data && { [cloudEventMetadataMembers.data]: data }) };
  const event = { event_type: text('type')!, entity_id: text('subject') ?? null };
  if (!isEvent({ stream, ...event, data: someObject, metadata })) return errorsOfEvent();
  const time = text('time');
  const timestamp = time === undefined ? undefined : parseTime(time);
  if (time !== undefined && timestamp === undefined) return [{ pointer: 'time', detail: timeRule }];
  const expected_version = mappedVersion(attributes.get(expectedVersion)?.toString());
  if (expected_version === undefined) return [{ pointer: expectedVersion, detail: mappedVersionRule }];
  if (expected_version !== null && event.entity_id === null)
    return [{ pointer: expectedVersion, detail: 'needs a subject, which names the entity' }];
  return {
    ...event,
    expected_version,
    ...{ id: text('id')!, source: text('source')!, timestamp, metadata: JSON.stringify(metadata) },
  };
}

function missing(attributes: CloudEventAttributes): InputProblem[] {
  const errors = required.filter((name) => !attributes.has(name)).map((name) => error(name, 'is required'));
  if (attributes.get('specversion') === '1.0') return errors;
  return [error('specversion', 'must be 1.0'), ...errors];
}

function attributeErrors([name, value]: readonly [string, unknown]): InputProblem[] {
  if (texts.includes(name)) {
    if (typeof value !== 'string' || value === '') return [error(name, 'must be a non-empty text')];
  } else if (!isExtensionName(name)) {
    return [error(name, 'must have a name of lower-case letters and digits')];
  }
  return valueErrors(name, value);
}

function valueErrors(name: string, value: unknown): InputProblem[] {
  if (typeof value === 'string') {
    if (isAttributeText(value)) return [];
    return [error(name, 'must not contain control characters or half surrogate pairs')];
  }
  if (typeof value === 'boolean' || (typeof value === 'number' && isAttributeInteger(value))) return [];
  return [error(name, 'must be a text, a boolean or a 32-bit integer')];
}

/**
 * Returns the members of the event's metadata, in an order that does not depend on the sender for the `ce_…` members.
 */
function membersOf(attributes: CloudEventAttributes): Record<string, unknown> {
  const { id, source, datacontenttype, dataschema } = cloudEventMetadataMembers;
  const own = new Map([
    ...Object.entries({ id, source, datacontenttype, dataschema }),
    ...[...attributes.keys()].filter(isMetadata).map((name) => [name, name] as const),
  ]);
  const present = [...own].filter(([name]) => attributes.has(name));
  return Object.fromEntries(present.map(([name, member]) => [member, attributes.get(name)]));
}

function isMetadata(name: string): boolean {
  return isExtensionName(name) && name !== expectedVersion;
}

function errorsOfEvent(): InputProblem[] {
  return eventErrors('').map(({ pointer, detail }) =>
    pointer === '/metadata'
      ? error('', `must not have more than ${limits.metadataMembers} attributes`)
      : error(attributeOf[pointer] ?? '', detail),
  );
}

function error(pointer: string, detail: string): InputProblem {
  return { pointer, detail };
}
