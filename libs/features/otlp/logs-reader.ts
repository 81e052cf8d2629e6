import { TimeSlice } from '#async';
import { ProblemError } from '#api';
import { type EventParserInputs, EventLineReader, textOf, type ParsedEvents, EventRejection } from '#writing';
import { JsonMessageReader } from './json-message-reader.js';
import { logGroups } from './log-groups.js';
import type { OtlpEventLines } from './log-text.js';
import { ProtobufMessageReader } from './protobuf-message-reader.js';
import { readLogRecords, type ReadLogRecord } from './read-log-records.js';

export const protobufType = 'application/x-protobuf';
export const jsonType = 'application/json';

/**
 * Finds the log records of an OTLP request body in the encoding of its media type, and reads them lazily.
 * @throws ProblemError 415 for another type, 400 for a body that cannot be read, 413 for too many elements
 */
export function logRecords(mediaType: string, body: Buffer): Iterable<ReadLogRecord> {
  if (mediaType === protobufType) {
    const reader = new ProtobufMessageReader(body);
    return readLogRecords(reader, logGroups(reader));
  }
  if (mediaType !== jsonType)
    throw new ProblemError('unsupported_media_type', `Send the body as ${protobufType} or ${jsonType}.`);
  const reader = new JsonMessageReader(textOf(body));
  return readLogRecords(reader, logGroups(reader));
}

/**
 * Parses and validates the events that were converted from OTLP log records, like the events of any other write
 * request.
 */
export async function readLogs({ lines }: OtlpEventLines, inputs: EventParserInputs): Promise<ParsedEvents> {
  const reader = new EventLineReader(inputs);
  const events: ParsedEvents = [];
  const turn = new TimeSlice();
  for (const line of lines) {
    const index = events.length;
    events.push(line instanceof EventRejection ? line : reader.read({ ...line, index }));
    if (!(line instanceof EventRejection) && turn.over(line.end - line.start)) await turn.end();
  }
  return events;
}
