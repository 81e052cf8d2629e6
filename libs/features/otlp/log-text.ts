import { limits } from '#event';
import { ProblemError } from '#api';
import { TimeSlice } from '#async';
import { EventRejection } from '#writing';
import { encodedRecordText, envelopeText } from './log-record.js';
import type { ReadLogRecord } from './read-log-records.js';

/**
 * Maximum number of characters of the events of one request. Each event repeats its resource, which the request
 * contains once.
 */
const mostText = 2 * limits.requestBytes;

/** The log records of one OTLP request, converted to JSON events with one event on each line. */
export interface OtlpEventLines {
  text: string;
  /** Begin and end of each log record's line in `text`, or the rejection of the record, in request order. */
  lines: ({ start: number; end: number } | EventRejection)[];
}

/**
 * Converts OTLP log records to JSON events, one on each line. @throws ProblemError `payload_too_large` when their text
 * is too large
 */
export async function otlpEventLines(
  records: Iterable<ReadLogRecord>,
  { stream, idOf }: { stream: string; idOf: (index: number) => string },
): Promise<OtlpEventLines> {
  const lines: OtlpEventLines['lines'] = [];
  const parts: string[] = [];
  const turn = new TimeSlice();
  let length = 0;
  for (const { record, size, encoded } of records) {
    if (record instanceof EventRejection && record.code === 'payload_too_large') {
      lines.push(record);
      continue;
    }
    const defaults = { stream, event_id: idOf(lines.length) };
    const isRejected = record instanceof EventRejection;
    const line = isRejected ? encodedRecordText(encoded(), defaults) : envelopeText(record, defaults);
    const range = { start: length, end: length + line.length };
    lines.push(isRejected ? record.of({ ...defaults, ...range, entity_id: null }) : range);
    parts.push(line);
    length += line.length + 1;
    if (length > mostText) throw tooMuch();
    if (turn.over(size + line.length)) await turn.end();
  }
  return { text: parts.join('\n'), lines };
}

function tooMuch(): ProblemError {
  const detail =
    `The events have more than ${mostText} characters of JSON: each of them has the attributes of its resource. ` +
    'Send fewer log records at once.';
  return new ProblemError('payload_too_large', detail);
}
