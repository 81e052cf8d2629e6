import type { StoredEvent } from './event.js';
import { isJsonObject, JsonScanner, jsonValue } from '#json';
import { nameUuid } from './name-uuid.js';

/**
 * Members of `metadata` that keep the attributes of a CloudEvent for which an event has no field. Names of CloudEvents
 * attributes contain no underscore, so extension attributes keep their own names beside these members.
 */
export const cloudEventMetadataMembers = {
  id: 'ce_id',
  source: 'ce_source',
  datacontenttype: 'ce_datacontenttype',
  dataschema: 'ce_dataschema',
  /** How the data of the CloudEvent was sent, if it was not an object: a `CloudEventDataForm`. */
  data: 'ce_data',
} as const;

/** How the data of a CloudEvent was sent if it was not an object: as another value, as bytes in Base64, or not at all. */
export type CloudEventDataForm = 'value' | 'base64' | 'none';

/** Names of the attributes in the CloudEvents specification, and of `data`: no extension may have one of them. */
const ownNames: ReadonlySet<string> = new Set(
  'specversion id source type subject time datacontenttype dataschema data'.split(' '),
);

/** Whether a CloudEvents extension attribute may have this name. */
export function isExtensionName(name: string): boolean {
  return /^[a-z0-9]+$/.test(name) && !ownNames.has(name);
}

/** Whether CloudEvents allows all characters of the text: no control characters and no lone surrogates. */
export function isAttributeText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text);
}

/** Whether the number is a valid CloudEvents integer: a signed integer of 32 bits. */
export function isAttributeInteger(value: number): boolean {
  return Number.isInteger(value) && value === (value | 0);
}

/** Returns the `event_id` for a CloudEvent, derived from its `source` and `id`: the same each time that it is sent. */
export function cloudEventId(source: string, id: string): string {
  return nameUuid(`${source}\0${id}`);
}

/** The fields of a stored event that `cloudEventJson` reads. */
export type StoredEventForCloudEvent = Pick<
  StoredEvent,
  'event_id' | 'event_type' | 'entity_id' | 'timestamp' | 'data' | 'metadata'
>;

/**
 * Returns the event in the JSON format of CloudEvents 1.0. An event that was received as a CloudEvent gets its original
 * `id`, `source`, extensions and `data` back, and `datacontenttype` if it had one; the text of `data` is the one that was
 * sent. An event that a pipeline derived from it is a different event: its `id` is its `event_id`.
 * @param source the source of an event that was not received as a CloudEvent
 */
export function cloudEventJson(event: StoredEventForCloudEvent, source: string): string {
  const metadata = membersOf(event.metadata);
  const own = ownMembers(event, metadata);
  const attributes = {
    specversion: '1.0',
    id: own.id ?? event.event_id,
    source: own.source ?? source,
    type: event.event_type,
    ...(event.entity_id !== null && { subject: event.entity_id }),
    time: event.timestamp,
    // An undefined member is omitted.
    datacontenttype: own.id === undefined ? 'application/json' : own.datacontenttype,
    ...(own.dataschema !== undefined && { dataschema: own.dataschema }),
    ...extensionsOf(metadata),
  };
  return `${JSON.stringify(attributes).slice(0, -1)}${dataMember(event.data, own.data)}}`;
}

/** Returns the CloudEvents `source` for the events of a stream that were not received as CloudEvents. */
export function streamSource(stream: string): string {
  return `/api/v1/streams/${stream}`;
}

type OwnMembers = Partial<Record<keyof typeof cloudEventMetadataMembers, string>>;

/**
 * Returns the CloudEvents attributes that `metadata` keeps of an event that was received as a CloudEvent. Returns no
 * attributes for any other event, such as one that a pipeline derived from a CloudEvent.
 */
function ownMembers(
  { event_id }: StoredEventForCloudEvent,
  metadata: ReadonlyMap<string, unknown>,
): OwnMembers {
  const members = Object.entries(cloudEventMetadataMembers).map(([name, member]) => [
    name,
    textOf(metadata.get(member)),
  ]);
  const own = Object.fromEntries(members) as OwnMembers;
  const isSame =
    own.id !== undefined && own.source !== undefined && cloudEventId(own.source, own.id) === event_id;
  return isSame ? own : {};
}

function membersOf(metadata: string): ReadonlyMap<string, unknown> {
  const value = metadata === '{}' ? {} : jsonValue(metadata);
  return new Map(isJsonObject(value) ? Object.entries(value) : []);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' && isAttributeText(value) ? value : undefined;
}

function extensionsOf(metadata: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    [...metadata].filter(([name, value]) => isExtensionName(name) && isAttributeValue(value)),
  );
}

function isAttributeValue(value: unknown): boolean {
  if (typeof value === 'string') return isAttributeText(value);
  return typeof value === 'boolean' || (typeof value === 'number' && isAttributeInteger(value));
}

/** Returns the `data` or `data_base64` member as JSON text after a comma; empty for a CloudEvent without data. */
function dataMember(data: string, sent: string | undefined): string {
  if (sent === 'none' && data === '{}') return '';
  const value = sent === 'value' || sent === 'base64' ? unwrapValue(data) : undefined;
  if (value === undefined) return `,"data":${data}`;
  return sent === 'base64' && value.startsWith('"') ? `,"data_base64":${value}` : `,"data":${value}`;
}

const wrapper = '{"value":';

/** Returns the JSON text of an object, `{"value":…}`, that wraps a JSON value which is not an object. */
export function wrapValue(value: string): string {
  return `${wrapper}${value}}`;
}

/** Returns the JSON text of the value in an object that `wrapValue` has created; undefined for any other object. */
function unwrapValue(data: string): string | undefined {
  if (!data.startsWith(wrapper)) return undefined;
  const end = new JsonScanner(data).value(wrapper.length, 1);
  return end === data.length - 1 ? data.slice(wrapper.length, end) : undefined;
}
