import type { StoredEvent } from './event.js';
import { isJsonObject, jsonValue } from './json-value.js';
import { JsonScanner } from './json-scanner.js';
import { nameUuid } from './name-uuid.js';

/**
 * Members of `metadata` that hold what a CloudEvent says and an event has no field for. The names of CloudEvents
 * attributes have no underscore, so extension attributes keep their own names beside these.
 */
export const cloudEventMembers = {
  id: 'ce_id',
  source: 'ce_source',
  datacontenttype: 'ce_datacontenttype',
  dataschema: 'ce_dataschema',
  /** How `data` was sent, where it was not an object. */
  data: 'ce_data',
} as const;

/** `data` was another JSON value, bytes in Base64, or missing. */
export type SentData = 'value' | 'base64' | 'none';

/** The attributes of the specification, and the members for `data`. An extension attribute has another name. */
const ownNames: ReadonlySet<string> = new Set(
  'specversion id source type subject time datacontenttype dataschema data'.split(' '),
);

/** Whether an extension attribute of CloudEvents may have this name. */
export function isExtensionName(name: string): boolean {
  return /^[a-z0-9]+$/.test(name) && !ownNames.has(name);
}

/** Whether CloudEvents allows the characters of a text: no control characters, no half surrogate pairs. */
export function isAttributeText(text: string): boolean {
  return !/[\p{Cc}\p{Cs}]/u.test(text);
}

/** Whether an attribute may have this number: CloudEvents has 32 bits. */
export function isAttributeInteger(value: number): boolean {
  return Number.isInteger(value) && value === (value | 0);
}

/** The `event_id` of the event that has this `id` for its source. A CloudEvent that is sent again has the same one. */
export function cloudEventId(source: string, id: string): string {
  return nameUuid(`${source}\0${id}`);
}

/** What an event has that goes out as a CloudEvent. */
export type CloudEventContent = Pick<
  StoredEvent,
  'event_id' | 'event_type' | 'entity_id' | 'timestamp' | 'data' | 'metadata'
>;

/**
 * The event in the JSON format of CloudEvents 1.0. An event that came as a CloudEvent has its own `id`, `source`,
 * extensions and `data` again; the text of `data` is the one that was sent. An event that a pipeline made of it is
 * another event, and so has its `event_id` as `id`.
 * @param source of an event that did not come as a CloudEvent
 */
export function cloudEventJson(event: CloudEventContent, source: string): string {
  const metadata = membersOf(event.metadata);
  const own = ownMembers(event, metadata);
  const attributes = {
    specversion: '1.0',
    id: own.id ?? event.event_id,
    source: own.source ?? source,
    type: event.event_type,
    ...(event.entity_id !== null && { subject: event.entity_id }),
    time: event.timestamp,
    datacontenttype: own.datacontenttype ?? 'application/json',
    ...(own.dataschema !== undefined && { dataschema: own.dataschema }),
    ...extensionsOf(metadata),
  };
  return `${JSON.stringify(attributes).slice(0, -1)}${dataMember(event.data, own.data)}}`;
}

/** The source of the events of a stream. */
export function streamSource(stream: string): string {
  return `/api/v1/streams/${stream}`;
}

type OwnMembers = Partial<Record<keyof typeof cloudEventMembers, string>>;

/** What the event was as a CloudEvent; nothing where it is another event by now. */
function ownMembers({ event_id }: CloudEventContent, metadata: ReadonlyMap<string, unknown>): OwnMembers {
  const members = Object.entries(cloudEventMembers).map(([name, member]) => [
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

/** The member for `data`, with the comma before it. */
function dataMember(data: string, sent: string | undefined): string {
  if (sent === 'none' && data === '{}') return '';
  const value = sent === 'value' || sent === 'base64' ? wrappedIn(data) : undefined;
  if (value === undefined) return `,"data":${data}`;
  return sent === 'base64' && value.startsWith('"') ? `,"data_base64":${value}` : `,"data":${value}`;
}

const wrapper = '{"value":';

/** The object that holds a value which is not an object. */
export function wrapped(value: string): string {
  return `${wrapper}${value}}`;
}

/** The text of the value in an object of `wrapped`; undefined where the object is another one. */
function wrappedIn(data: string): string | undefined {
  if (!data.startsWith(wrapper)) return undefined;
  const end = new JsonScanner(data).value(wrapper.length, 1);
  return end === data.length - 1 ? data.slice(wrapper.length, end) : undefined;
}
