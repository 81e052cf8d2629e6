import { TimeSlice } from '#async';
import { ProblemError } from '#api';
import { utf8TextOf } from '#http';
import type { EventParserInputs } from '../read-event.js';
import { EventLineReader, textOf, type ParsedEvents } from '../read-request.js';
import { EventRejection } from '../rejection.js';
import type { OtlpLogRecord } from './log-record.js';
import type { OtlpEventLines } from './log-text.js';
import { jsonRecords } from './read-json.js';
import { protobufRecords } from './read-protobuf.js';

export const protobufType = 'application/x-protobuf';
export const jsonType = 'application/json';

/**
 * Parses the log records of an OTLP request body in the encoding of its media type, lazily.
 * @throws ProblemError 415 for another type, 400 for a JSON body that is not UTF-8
 */
export function logRecords(mediaType: string, body: Buffer): Iterable<OtlpLogRecord | EventRejection> {
  if (mediaType === protobufType) return protobufRecords(body);
  if (mediaType !== jsonType)
    throw new ProblemError('unsupported_media_type', `Send the body as ${protobufType} or ${jsonType}.`);
  return jsonRecords(textOf(utf8TextOf(body)));
}

/**
 * Parses and validates the events that were converted from OTLP log records, like the events of any other write
 * request.
 */
export async function readLogs(
  { lines }: OtlpEventLines,
  reception: EventParserInputs,
): Promise<ParsedEvents> {
  const reader = new EventLineReader(reception);
  const events: ParsedEvents = [];
  const turn = new TimeSlice();
  for (const line of lines) {
    const index = events.length;
    events.push(line instanceof EventRejection ? line : reader.read({ ...line, index }));
    if (!(line instanceof EventRejection) && turn.over(line.end - line.start)) await turn.end();
  }
  return events;
}
