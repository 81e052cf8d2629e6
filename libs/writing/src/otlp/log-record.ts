import { formatTime, limits } from '#event';
import { clientId } from '../raw/client-id.js';

/** An OTLP attribute: its name, and its value as JSON text. */
export type OtlpAttribute = readonly [name: string, value: string];

/** An OTLP log record, independent of its encoding. Values of attributes and the body are JSON text. */
export interface OtlpLogRecord {
  /** Attributes of the resource. */
  resource: readonly OtlpAttribute[];
  /** The instrumentation scope as pairs of name and JSON text: `name`, `version` and `attributes`, if the record has them. */
  scope: readonly OtlpAttribute[];
  /** Event time in nanoseconds since 1970; 0 means unknown. */
  time: bigint;
  observed: bigint;
  severityNumber: number;
  severityText: string;
  eventName: string;
  body: string | undefined;
  attributes: readonly OtlpAttribute[];
  flags: number;
  /** Hexadecimal text, like `spanId`; empty if the record has none. */
  traceId: string;
  spanId: string;
}

/** An OTLP log record in which every field has its protobuf default. */
export const emptyRecord: OtlpLogRecord = {
  ...{ resource: [], scope: [], time: 0n, observed: 0n, severityNumber: 0, severityText: '' },
  ...{ eventName: '', body: undefined, attributes: [], flags: 0, traceId: '', spanId: '' },
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
 * most 12.
 */
const mostResourceMembers = limits.metadataMembers - 12;

/** Converts an OTLP log record to the JSON text of an event, in the format of `POST /api/v1/events`. */
export function envelopeText(record: OtlpLogRecord, { stream, event_id }: EnvelopeDefaults): string {
  const { time, observed, eventName } = record;
  const given = textAttribute(record, idAttribute);
  const type = eventName || textAttribute(record, nameAttribute) || defaultType;
  const nanos = time || observed;
  return objectText([
    ['stream', JSON.stringify(stream)],
    ['event_id', JSON.stringify(clientId(given) ?? event_id)],
    ['event_type', JSON.stringify(type)],
    ...(nanos ? [['timestamp', JSON.stringify(formatTime(Number(nanos / 1000n)))] as const] : []),
    ['metadata', objectText([...metadataOf(record)])],
    ['data', objectText([...dataOf(record)])],
  ]);
}

export function objectText(members: readonly OtlpAttribute[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

function* dataOf(record: OtlpLogRecord): Generator<OtlpAttribute> {
  yield* record.attributes;
  if (record.body !== undefined && !hasBodyAttribute(record)) yield ['body', record.body];
}

function* metadataOf(record: OtlpLogRecord): Generator<OtlpAttribute> {
  const { time, observed, severityNumber, severityText, traceId, spanId, flags } = record;
  yield* resourceMembers(record.resource);
  for (const [name, value] of record.scope) yield [`scope.${name}`, scalarText(value)];
  if (time) yield ['time_unix_nano', `"${time}"`];
  if (observed) yield ['observed_time_unix_nano', `"${observed}"`];
  if (severityNumber) yield ['severity_number', String(severityNumber)];
  if (severityText) yield ['severity_text', JSON.stringify(severityText)];
  if (traceId) yield ['trace_id', JSON.stringify(traceId)];
  if (spanId) yield ['span_id', JSON.stringify(spanId)];
  if (flags) yield ['trace_flags', String(flags)];
  if (record.body !== undefined && hasBodyAttribute(record)) yield ['body', scalarText(record.body)];
}

/**
 * Yields the resource attributes as members of the metadata, whose number is limited. A resource with too many
 * attributes becomes one member.
 */
function* resourceMembers(resource: readonly OtlpAttribute[]): Generator<OtlpAttribute> {
  if (resource.length > mostResourceMembers) yield ['resource', JSON.stringify(objectText(resource))];
  else for (const [name, value] of resource) yield [`resource.${name}`, scalarText(value)];
}

/** Returns a value for metadata, which is flat: a list or a map becomes its JSON text. */
function scalarText(value: string): string {
  return value.startsWith('[') || value.startsWith('{') ? JSON.stringify(value) : value;
}

function hasBodyAttribute({ attributes }: OtlpLogRecord): boolean {
  return attributes.some(([name]) => name === 'body');
}

/** Returns the value of an attribute of the log record if it is a text; otherwise undefined. */
function textAttribute({ attributes }: OtlpLogRecord, name: string): string | undefined {
  const text = attributes.find(([known]) => known === name)?.[1];
  return text?.startsWith('"') ? (JSON.parse(text) as string) : undefined;
}

/** Returns a double as JSON. NaN and infinities become texts, as in the JSON encoding of protobuf. */
export function doubleText(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
}
