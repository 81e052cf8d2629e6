import { limits } from '#event';
import { EventRejection, tooLarge } from '#writing';
import type { ResourceLogs } from './log-groups.js';
import { emptyRecord, resourceText, scopeText, type OtlpLogRecord } from './log-record.js';
import { logRecordFields, resourceFields, scopeFields, severityNumbers } from './message-fields.js';
import type { EncodedRange, MessageReader } from './message-reader.js';
import { mostFields, UnreadableMessageError } from './otlp-request-errors.js';
import { OtlpValue, readAttributes, type OtlpAttributes } from './otlp-value.js';

/** One log record of a request: the record, or the reason why it cannot be read. */
export interface ReadLogRecord {
  record: OtlpLogRecord | EventRejection;
  /** Size of the encoded values that were read for it. */
  size: number;
  /** Returns the encoded log record as text. */
  encoded: () => string;
}

/** Reads the log records that `logGroups` has found, one at a time. A record that cannot be read affects no other. */
export function* readLogRecords(
  reader: MessageReader,
  groups: readonly ResourceLogs[],
): Generator<ReadLogRecord> {
  for (const { resource, scopeLogs } of groups) {
    let resourceMembers: string | EventRejection | undefined;
    for (const { scope, logRecords } of scopeLogs) {
      let scopeMembers: string | EventRejection | undefined;
      for (const range of logRecords) {
        const encoded = () => reader.encoded(range);
        let size = sizeOf([range]);
        if (scopeMembers === undefined) size += sizeOf([...resource, ...scope]);
        resourceMembers ??= within(reader, resource, () => resourceText(readResource(reader, resource)));
        scopeMembers ??= within(reader, scope, () => readScope(reader, scope));
        const record = readWith(resourceMembers, scopeMembers, (source) =>
          within(reader, [range], () => readRecord(reader, range, source)),
        );
        yield { record, size, encoded };
      }
    }
  }
}

/** Reads a record with its source. Returns the rejection if the resource or the scope cannot be read. */
function readWith(
  resource: string | EventRejection,
  scope: string | EventRejection,
  read: (source: string) => OtlpLogRecord | EventRejection,
): OtlpLogRecord | EventRejection {
  if (resource instanceof EventRejection) return resource;
  if (scope instanceof EventRejection) return scope;
  return read([resource, scope].filter(Boolean).join(','));
}

/** Reads a message that is not larger than an event may be. Returns the rejection if that is not possible. */
function within<V>(
  reader: MessageReader,
  ranges: readonly EncodedRange[],
  read: () => V,
): V | EventRejection {
  if (sizeOf(ranges) > reader.longer * limits.eventBytes) return tooLarge('');
  reader.limitFields(mostFields);
  try {
    return read();
  } catch (error) {
    if (error instanceof UnreadableMessageError) return error.toRejection();
    throw error;
  }
}

function readResource(reader: MessageReader, ranges: readonly EncodedRange[]): OtlpAttributes {
  const attributes: OtlpAttributes = new Map();
  for (const range of ranges) {
    reader.open(range, 'the resource');
    reader.message(resourceFields, () => readAttributes(reader, attributes));
  }
  return attributes;
}

function readScope(reader: MessageReader, ranges: readonly EncodedRange[]): string {
  const scope = { name: '', version: '', attributes: new Map() as OtlpAttributes };
  for (const range of ranges) {
    reader.open(range, 'the scope');
    reader.message(scopeFields, (field) => {
      if (field === 'attributes') readAttributes(reader, scope.attributes);
      else scope[field] = reader.text();
    });
  }
  return scopeText(scope);
}

function readRecord(reader: MessageReader, range: EncodedRange, source: string): OtlpLogRecord {
  const record: OtlpLogRecord = { ...emptyRecord, source, attributes: new Map() };
  reader.open(range, 'the log record');
  reader.message(logRecordFields, (field) => {
    if (field === 'timeUnixNano' || field === 'observedTimeUnixNano')
      record[field] = reader.integer('fixed64');
    else if (field === 'severityNumber') record[field] = Number(reader.integer('int32', severityNumbers));
    else if (field === 'severityText' || field === 'eventName') record[field] = reader.text();
    else if (field === 'flags') record[field] = Number(reader.integer('fixed32'));
    else if (field === 'traceId') record[field] = reader.id(16);
    else if (field === 'spanId') record[field] = reader.id(8);
    else if (field === 'attributes') readAttributes(reader, record[field]);
    else (record.body ??= new OtlpValue()).read(reader);
  });
  return record;
}

function sizeOf(ranges: readonly EncodedRange[]): number {
  return ranges.reduce((size, { start, end }) => size + end - start, 0);
}
