import { formatTime, limits } from '#event';
import { clientId } from '../raw/client-id.js';

/** A name, and the JSON text of its value. */
export type Attribute = readonly [name: string, value: string];

/** A log record of OTLP, whatever its encoding. Values of attributes and the body are JSON text. */
export interface LogRecord {
  /** The attributes of the resource. */
  resource: readonly Attribute[];
  /** The instrumentation scope: `name`, `version` and `attributes`, as far as it has them. */
  scope: readonly Attribute[];
  /** Nanoseconds since 1970; 0 is unknown. */
  time: bigint;
  observed: bigint;
  severityNumber: number;
  severityText: string;
  eventName: string;
  body: string | undefined;
  attributes: readonly Attribute[];
  flags: number;
  /** In hexadecimal. */
  traceId: string;
  spanId: string;
}

/** A record that says nothing. */
export const emptyRecord: LogRecord = {
  ...{ resource: [], scope: [], time: 0n, observed: 0n, severityNumber: 0, severityText: '' },
  ...{ eventName: '', body: undefined, attributes: [], flags: 0, traceId: '', spanId: '' },
};

/** What the event of a record has besides what the record says. */
export interface EnvelopeDefaults {
  stream: string;
  event_id: string;
}

/** The `event_type` of a record without an event name: a line of a log. */
const defaultType = 'log';
/** The attribute that identifies a record (semantic conventions of OpenTelemetry). */
const idAttribute = 'log.record.uid';
/** The attribute that named an event before `event_name` did. */
const nameAttribute = 'event.name';
/** The other members of the metadata are at most 12. */
const mostResourceMembers = limits.metadataMembers - 12;

/** Returns the JSON text of the record's event, as a client would send it to `POST /api/v1/events`. */
export function envelopeText(record: LogRecord, { stream, event_id }: EnvelopeDefaults): string {
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

export function objectText(members: readonly Attribute[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
}

function* dataOf(record: LogRecord): Generator<Attribute> {
  yield* record.attributes;
  if (record.body !== undefined && !hasBodyAttribute(record)) yield ['body', record.body];
}

function* metadataOf(record: LogRecord): Generator<Attribute> {
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

/** Metadata has a bounded number of members: a resource with very many attributes becomes one of them. */
function* resourceMembers(resource: readonly Attribute[]): Generator<Attribute> {
  if (resource.length > mostResourceMembers) yield ['resource', JSON.stringify(objectText(resource))];
  else for (const [name, value] of resource) yield [`resource.${name}`, scalarText(value)];
}

/** Metadata is flat: a list or a map becomes its JSON text. */
function scalarText(value: string): string {
  return value.startsWith('[') || value.startsWith('{') ? JSON.stringify(value) : value;
}

function hasBodyAttribute({ attributes }: LogRecord): boolean {
  return attributes.some(([name]) => name === 'body');
}

/** The text of an attribute; undefined if it is not there, or not a text. */
function textAttribute({ attributes }: LogRecord, name: string): string | undefined {
  const text = attributes.find(([known]) => known === name)?.[1];
  return text?.startsWith('"') ? (JSON.parse(text) as string) : undefined;
}

/** Returns a double as JSON; what JSON has no number for is a text, as in the JSON encoding of protobuf. */
export function doubleText(value: number): string {
  return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
}
