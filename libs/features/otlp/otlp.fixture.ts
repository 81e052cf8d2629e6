import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { decodeRecord, decodeRejectedEvent, type EventRecord, type RejectedEventRecord } from '#event';
import type { TestIngest } from '../../core/writing/writing.fixture.js';

/** An answer of the route that receives logs. */
export type Answer = Awaited<ReturnType<TestIngest['post']>>;

/** An OTLP AnyValue in the JSON encoding. */
export type AnyValue = Readonly<Record<string, unknown>>;

/** An OTLP log record in the JSON encoding, for specs. */
interface TestLogRecord {
  timeUnixNano?: string;
  observedTimeUnixNano?: string;
  severityNumber?: number;
  severityText?: string;
  eventName?: string;
  body?: AnyValue;
  attributes?: { key: string; value?: AnyValue }[];
  flags?: number;
  traceId?: string;
  spanId?: string;
}

/** An OTLP request of a spec: log records with one resource and one scope. */
export interface TestOtlpRequest {
  resource?: { attributes: { key: string; value: AnyValue }[] };
  scope?: { name?: string; version?: string; attributes?: { key: string; value: AnyValue }[] };
  records: TestLogRecord[];
}

/** Encodes an OTLP request in the JSON encoding. */
export function jsonOf({ resource, scope, records }: TestOtlpRequest): object {
  return { resourceLogs: [{ resource, scopeLogs: [{ scope, logRecords: records }] }] };
}

/**
 * Encodes an OTLP request in the protobuf encoding. The resource is encoded after its records, which protobuf allows.
 */
export function protobufOf({ resource, scope, records }: TestOtlpRequest): Buffer {
  const scopeLogs = new BinaryWriter();
  for (const record of records) message(scopeLogs, 2, recordOf(record));
  if (scope) message(scopeLogs, 1, scopeOf(scope));
  const resourceLogs = message(new BinaryWriter(), 2, scopeLogs);
  if (resource) message(resourceLogs, 1, pairs(new BinaryWriter(), 1, resource.attributes));
  return Buffer.from(message(new BinaryWriter(), 1, resourceLogs).finish());
}

function recordOf(record: TestLogRecord): BinaryWriter {
  const writer = new BinaryWriter();
  const { timeUnixNano, observedTimeUnixNano, severityNumber, severityText, eventName } = record;
  const { body, attributes = [], flags, traceId, spanId } = record;
  if (timeUnixNano) writer.tag(1, WireType.Bit64).fixed64(timeUnixNano);
  if (observedTimeUnixNano) writer.tag(11, WireType.Bit64).fixed64(observedTimeUnixNano);
  if (severityNumber) writer.tag(2, WireType.Varint).int32(severityNumber);
  if (severityText) writer.tag(3, WireType.LengthDelimited).string(severityText);
  if (body) message(writer, 5, valueOf(body));
  pairs(writer, 6, attributes);
  if (flags) writer.tag(8, WireType.Bit32).fixed32(flags);
  if (traceId) writer.tag(9, WireType.LengthDelimited).bytes(Buffer.from(traceId, 'hex'));
  if (spanId) writer.tag(10, WireType.LengthDelimited).bytes(Buffer.from(spanId, 'hex'));
  if (eventName) writer.tag(12, WireType.LengthDelimited).string(eventName);
  return writer;
}

function scopeOf({ name, version, attributes }: NonNullable<TestOtlpRequest['scope']>): BinaryWriter {
  const writer = new BinaryWriter();
  if (name) writer.tag(1, WireType.LengthDelimited).string(name);
  if (version) writer.tag(2, WireType.LengthDelimited).string(version);
  if (attributes) pairs(writer, 3, attributes);
  return writer;
}

function pairs(
  writer: BinaryWriter,
  field: number,
  attributes: readonly { key: string; value?: AnyValue }[],
): BinaryWriter {
  for (const { key, value } of attributes) {
    const pair = new BinaryWriter().tag(1, WireType.LengthDelimited).string(key);
    if (value) message(pair, 2, valueOf(value));
    message(writer, field, pair);
  }
  return writer;
}

function valueOf(value: AnyValue): BinaryWriter {
  const writer = new BinaryWriter();
  const { stringValue, boolValue, intValue, doubleValue, arrayValue, kvlistValue, bytesValue } = value;
  if (stringValue !== undefined) writer.tag(1, WireType.LengthDelimited).string(stringValue as string);
  if (boolValue !== undefined) writer.tag(2, WireType.Varint).bool(boolValue as boolean);
  if (intValue !== undefined) writer.tag(3, WireType.Varint).int64(intValue as string);
  if (doubleValue !== undefined) writer.tag(4, WireType.Bit64).double(Number(doubleValue));
  if (arrayValue !== undefined) {
    const list = new BinaryWriter();
    for (const one of (arrayValue as { values: AnyValue[] }).values) message(list, 1, valueOf(one));
    message(writer, 5, list);
  }
  if (kvlistValue !== undefined)
    message(writer, 6, pairs(new BinaryWriter(), 1, (kvlistValue as { values: [] }).values));
  if (bytesValue !== undefined)
    writer.tag(7, WireType.LengthDelimited).bytes(Buffer.from(bytesValue as string, 'base64'));
  return writer;
}

function message(writer: BinaryWriter, field: number, part: BinaryWriter): BinaryWriter {
  return writer.tag(field, WireType.LengthDelimited).bytes(part.finish());
}

export function isJson({ headers }: Answer): boolean {
  return headers['content-type'] === 'application/json';
}

/** Parses an ExportLogsServiceResponse. */
export function partialOf(answer: Answer): { rejected: number; message: string } {
  if (isJson(answer)) {
    const { partialSuccess } = answer.json<{ partialSuccess: Record<string, string> }>();
    return { rejected: Number(partialSuccess.rejectedLogRecords), message: partialSuccess.errorMessage! };
  }
  const outer = new BinaryReader(answer.rawPayload);
  outer.tag();
  const reader = new BinaryReader(outer.bytes());
  reader.tag();
  const rejected = Number(reader.int64());
  reader.tag();
  return { rejected, message: reader.string() };
}

/** Returns the events that were written to the stream `logs`. */
export function writtenLogs(given: TestIngest): EventRecord[] {
  return given
    .records('logs')
    .filter(({ value }) => !decodeRejectedEvent(value ?? ''))
    .map(({ value }) => decodeRecord(String(value)));
}

/** Returns the rejected log records that were kept in the stream `logs`. */
export function keptLogs(given: TestIngest): RejectedEventRecord[] {
  return given.records('logs').flatMap(({ value }) => decodeRejectedEvent(value ?? '') ?? []);
}
