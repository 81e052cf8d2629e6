import { hasCharacters, formatTime } from '#json';
import { plainTextPattern } from '#api';
import { limits } from '#event';
import { clientId } from '#features/raw';
import {
  attributesText,
  membersText,
  objectText,
  type JsonMember,
  type OtlpAttributes,
  type OtlpValue,
} from './otlp-value.js';

/** An OTLP log record, independent of its encoding. */
export interface OtlpLogRecord {
  /** The members of the metadata that describe the resource and the scope, as JSON text without braces. */
  source: string;
  /** Event time in nanoseconds since 1970; 0 means unknown. */
  timeUnixNano: bigint;
  observedTimeUnixNano: bigint;
  severityNumber: number;
  severityText: string;
  eventName: string;
  body: OtlpValue | undefined;
  attributes: OtlpAttributes;
  flags: number;
  /** Hexadecimal text, like `spanId`; empty if the record has none. */
  traceId: string;
  spanId: string;
}

/** An OTLP log record in which every field has its protobuf default. */
export const emptyRecord: Omit<OtlpLogRecord, 'source' | 'attributes'> = {
  ...{ timeUnixNano: 0n, observedTimeUnixNano: 0n, severityNumber: 0, severityText: '' },
  ...{ eventName: '', body: undefined, flags: 0, traceId: '', spanId: '' },
};

/** Stream and event id of the event that an OTLP log record becomes; the record contains neither. */
interface EnvelopeDefaults {
  stream: string;
  event_id: string;
}

/** `event_type` of the event of a log record without an event name. */
const defaultType = 'log';
/**
 * Attribute with a unique id of the log record (OpenTelemetry semantic conventions); the event id is derived from it.
 */
const idAttribute = 'log.record.uid';
/** Attribute in which older OpenTelemetry SDKs send the event name, instead of in the field `event_name`. */
const nameAttribute = 'event.name';
/**
 * Maximum number of members of an event's metadata that may be resource attributes. All other members together are at
 * most 13.
 */
const mostResourceMembers = limits.metadataMembers - 13;

/** The end of the times that an event may have, the year 2200, in nanoseconds since 1970. */
const endOfTimes = BigInt(Date.UTC(2200, 0)) * 1_000_000n;

/** Whether a text can be the type of an event. Any other name of an OTLP event is kept in the metadata. */
function isEventType(name: string): boolean {
  return hasCharacters(name, { most: limits.eventTypeCharacters }) && plainTextPattern.test(name);
}

/** Converts an OTLP log record to the JSON text of an event, in the format of `POST /api/v1/events`. */
export function envelopeText(record: OtlpLogRecord, { stream, event_id }: EnvelopeDefaults): string {
  const { timeUnixNano, observedTimeUnixNano, eventName, source } = record;
  const given = textAttribute(record, idAttribute);
  const name = eventName || textAttribute(record, nameAttribute) || '';
  const type = isEventType(name) ? name : defaultType;
  const nanos = [timeUnixNano, observedTimeUnixNano].find((time) => time !== 0n && time < endOfTimes);
  const own = membersText([...ownMetadata(record)]);
  return objectText([
    ['stream', JSON.stringify(stream)],
    ['event_id', JSON.stringify(clientId(given) ?? event_id)],
    ['event_type', JSON.stringify(type)],
    ...(nanos ? [['timestamp', JSON.stringify(formatTime(Number(nanos / 1000n)))] as const] : []),
    ['metadata', `{${source}${source && own ? ',' : ''}${own}}`],
    ['data', objectText([...dataOf(record)])],
  ]);
}

/**
 * Returns an event that contains an encoded log record which cannot be read, for its dead letter: a replay stores the
 * record as it was sent.
 */
export function encodedRecordText(encoded: string, { stream, event_id }: EnvelopeDefaults): string {
  return JSON.stringify({ stream, event_id, event_type: defaultType, data: { log_record: encoded } });
}

/**
 * Returns the resource attributes as members of the metadata, whose number is limited. A resource with too many
 * attributes becomes one member.
 */
export function resourceText(resource: OtlpAttributes): string {
  if (resource.size > mostResourceMembers)
    return membersText([['resource', JSON.stringify(attributesText(resource))]]);
  return membersText(
    Array.from(resource, ([name, value]) => [`resource.${name}`, scalarText(value.toJson())]),
  );
}

/** Returns an instrumentation scope as members of the metadata, without empty fields. */
export function scopeText(scope: { name: string; version: string; attributes: OtlpAttributes }): string {
  const members: JsonMember[] = [];
  for (const field of ['name', 'version'] as const)
    if (scope[field]) members.push([`scope.${field}`, JSON.stringify(scope[field])]);
  if (scope.attributes.size > 0)
    members.push(['scope.attributes', JSON.stringify(attributesText(scope.attributes))]);
  return membersText(members);
}

function* dataOf({ attributes, body }: OtlpLogRecord): Generator<JsonMember> {
  for (const [name, value] of attributes) yield [name, value.toJson()];
  if (body && !attributes.has('body')) yield ['body', body.toJson()];
}

function* ownMetadata(record: OtlpLogRecord): Generator<JsonMember> {
  const { timeUnixNano, observedTimeUnixNano, severityNumber, severityText } = record;
  const { traceId, spanId, flags, body, attributes, eventName } = record;
  if (eventName && !isEventType(eventName)) yield ['event_name', JSON.stringify(eventName)];
  if (timeUnixNano) yield ['time_unix_nano', `"${timeUnixNano}"`];
  if (observedTimeUnixNano) yield ['observed_time_unix_nano', `"${observedTimeUnixNano}"`];
  if (severityNumber) yield ['severity_number', String(severityNumber)];
  if (severityText) yield ['severity_text', JSON.stringify(severityText)];
  if (traceId) yield ['trace_id', JSON.stringify(traceId)];
  if (spanId) yield ['span_id', JSON.stringify(spanId)];
  if (flags) yield ['trace_flags', String(flags)];
  if (body && attributes.has('body')) yield ['body', scalarText(body.toJson())];
}

/** Returns a value for metadata, which is flat: a list or a map becomes its JSON text. */
function scalarText(value: string): string {
  return value.startsWith('[') || value.startsWith('{') ? JSON.stringify(value) : value;
}

/** Returns the value of an attribute of the log record if it is a text; otherwise undefined. */
function textAttribute({ attributes }: OtlpLogRecord, name: string): string | undefined {
  const text = attributes.get(name)?.toJson();
  return text?.startsWith('"') ? (JSON.parse(text) as string) : undefined;
}
