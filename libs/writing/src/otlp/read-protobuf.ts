import { BinaryReader } from '@bufbuild/protobuf/wire';
import { ProblemError } from '#api';
import type { EventRejection } from '../rejection.js';
import { emptyRecord, objectText, type OtlpAttribute, type OtlpLogRecord } from './log-record.js';
import { messages } from './protobuf-messages.js';
import { protobufAttributes, protobufValue } from './protobuf-value.js';
import { OtlpElementLimiter, isOversized, oversized, unreadable } from './otlp-request-errors.js';

/**
 * Yields the log records of an ExportLogsServiceRequest in the protobuf encoding, parsed one at a time; oversized
 * records become rejections (opentelemetry-proto 1.x, `logs.proto`, with its field numbers):
 *
 *     ExportLogsServiceRequest { repeated ResourceLogs resource_logs = 1; }
 *     ResourceLogs { Resource resource = 1; repeated ScopeLogs scope_logs = 2; }
 *     Resource { repeated KeyValue attributes = 1; }
 *     ScopeLogs { InstrumentationScope scope = 1; repeated ConsumerRecord log_records = 2; }
 *     InstrumentationScope { string name = 1; string version = 2; repeated KeyValue attributes = 3; }
 *
 * @throws ProblemError when the body cannot be parsed
 */
export function* protobufRecords(body: Uint8Array): Generator<OtlpLogRecord | EventRejection> {
  try {
    yield* requestRecords(body);
  } catch (error) {
    if (error instanceof ProblemError) throw error;
    throw unreadable('it is not valid protobuf', error);
  }
}

function* requestRecords(body: Uint8Array): Generator<OtlpLogRecord | EventRejection> {
  const [groups, records] = [new OtlpElementLimiter(), new OtlpElementLimiter()];
  for (const resourceLogs of messages(body, 1)) {
    groups.add();
    const resource = last(messages(resourceLogs, 1));
    for (const scopeLogs of messages(resourceLogs, 2)) {
      groups.add();
      const scope = last(messages(scopeLogs, 1));
      const isLarge = isOversized((resource?.length ?? 0) + (scope?.length ?? 0));
      const source = isLarge ? undefined : { resource: resourceOf(resource), scope: scopeOf(scope) };
      for (const record of messages(scopeLogs, 2)) {
        records.add();
        yield source && !isOversized(record.length) ? recordOf(record, source) : oversized();
      }
    }
  }
}

function resourceOf(resource: Uint8Array | undefined): OtlpAttribute[] {
  return resource ? protobufAttributes(messages(resource, 1)) : [];
}

function scopeOf(scope: Uint8Array | undefined): OtlpAttribute[] {
  if (!scope) return [];
  const members: OtlpAttribute[] = [];
  const reader = new BinaryReader(scope);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) members.push(['name', JSON.stringify(reader.string(true))]);
    else if (field === 2) members.push(['version', JSON.stringify(reader.string(true))]);
    else reader.skip(type, field);
  }
  const attributes = protobufAttributes(messages(scope, 3));
  if (attributes.length > 0) members.push(['attributes', objectText(attributes)]);
  return members.filter(([, value]) => value !== '""');
}

/**
 * Parses one log record:
 *
 *     ConsumerRecord {
 *       fixed64 time_unix_nano = 1; fixed64 observed_time_unix_nano = 11; SeverityNumber severity_number = 2;
 *       string severity_text = 3; AnyValue body = 5; repeated KeyValue attributes = 6; fixed32 flags = 8;
 *       bytes trace_id = 9; bytes span_id = 10; string event_name = 12;
 *     }
 */
function recordOf(bytes: Uint8Array, source: Pick<OtlpLogRecord, 'resource' | 'scope'>): OtlpLogRecord {
  const record: OtlpLogRecord = {
    ...emptyRecord,
    ...source,
    attributes: protobufAttributes(messages(bytes, 6)),
  };
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) record.time = BigInt(reader.fixed64());
    else if (field === 2) record.severityNumber = reader.int32();
    else if (field === 3) record.severityText = reader.string(true);
    else if (field === 5) record.body = protobufValue(reader.bytes(), 0);
    else if (field === 8) record.flags = reader.fixed32();
    else if (field === 9) record.traceId = hex(reader.bytes());
    else if (field === 10) record.spanId = hex(reader.bytes());
    else if (field === 11) record.observed = BigInt(reader.fixed64());
    else if (field === 12) record.eventName = reader.string(true);
    else reader.skip(type, field);
  }
  return record;
}

function last<V>(values: Iterable<V>): V | undefined {
  let found: V | undefined;
  for (const value of values) found = value;
  return found;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
}
