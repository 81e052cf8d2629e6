import { jsonValue, JsonScanner, limits } from '#event';
import type { EventRejection } from '../rejection.js';
import { elements, memberOf, type TextRange } from './json-members.js';
import { jsonAttributes, jsonInteger, jsonObject, jsonText, jsonValueText } from './json-any-value.js';
import { emptyRecord, objectText, type OtlpAttribute, type OtlpLogRecord } from './log-record.js';
import { OtlpElementLimiter, isOversized, oversized, unreadable } from './otlp-request-errors.js';

/**
 * Factor by which the JSON text of a log record may be longer than the largest event, because type names surround every
 * value.
 */
const longer = 4;

/**
 * Yields the log records of an ExportLogsServiceRequest in the JSON encoding, parsed one at a time. Unknown members are
 * skipped; oversized records become rejections.
 * @throws ProblemError when the body cannot be parsed
 */
export function* jsonRecords(text: string): Generator<OtlpLogRecord | EventRejection> {
  const scanner = new JsonScanner(text);
  const start = scanner.space(0);
  const end = scanner.value(start, 0);
  if (end < 0) throw unreadable(whyNot(scanner));
  if (scanner.space(end) < text.length) throw unreadable('text follows the JSON value');
  yield* requestRecords(scanner, start);
}

function whyNot({ failure, failedAt }: JsonScanner): string {
  return failure === 'depth'
    ? `its JSON is nested more than ${limits.jsonDepth} levels deep`
    : `character ${failedAt + 1} is not valid JSON`;
}

function* requestRecords(scanner: JsonScanner, start: number): Generator<OtlpLogRecord | EventRejection> {
  const [groups, records] = [new OtlpElementLimiter(), new OtlpElementLimiter()];
  for (const resourceLogs of listOf(scanner, { start, end: -1 }, 'resourceLogs')) {
    groups.add();
    const resource = memberOf(scanner, resourceLogs.start, 'resource');
    for (const scopeLogs of listOf(scanner, resourceLogs, 'scopeLogs')) {
      groups.add();
      const scope = memberOf(scanner, scopeLogs.start, 'scope');
      const isLarge = isOversized(lengthOf(resource) + lengthOf(scope), longer);
      const source = isLarge
        ? undefined
        : {
            resource: jsonAttributes(parsed(scanner, resource).attributes),
            scope: scopeOf(parsed(scanner, scope)),
          };
      for (const record of listOf(scanner, scopeLogs, 'logRecords')) {
        records.add();
        const isRead = source && !isOversized(lengthOf(record), longer);
        yield isRead ? recordOf(parsed(scanner, record), source) : oversized();
      }
    }
  }
}

function listOf(scanner: JsonScanner, { start }: TextRange, name: string): Iterable<TextRange> {
  const list = memberOf(scanner, start, name);
  return list ? elements(scanner, list.start, name) : [];
}

function lengthOf(span: TextRange | undefined): number {
  return span ? span.end - span.start : 0;
}

function parsed({ text }: JsonScanner, span: TextRange | undefined): Readonly<Record<string, unknown>> {
  return span ? jsonObject(jsonValue(text.slice(span.start, span.end))) : {};
}

function scopeOf(scope: Readonly<Record<string, unknown>>): OtlpAttribute[] {
  const members: OtlpAttribute[] = [];
  for (const name of ['name', 'version']) {
    const text = jsonText(scope[name], name);
    if (text !== '') members.push([name, JSON.stringify(text)]);
  }
  const attributes = jsonAttributes(scope.attributes);
  if (attributes.length > 0) members.push(['attributes', objectText(attributes)]);
  return members;
}

function recordOf(
  json: Readonly<Record<string, unknown>>,
  source: Pick<OtlpLogRecord, 'resource' | 'scope'>,
): OtlpLogRecord {
  return {
    ...emptyRecord,
    ...source,
    time: jsonInteger(json.timeUnixNano, 'timeUnixNano'),
    observed: jsonInteger(json.observedTimeUnixNano, 'observedTimeUnixNano'),
    severityNumber: Number(jsonInteger(json.severityNumber, 'severityNumber')),
    severityText: jsonText(json.severityText, 'severityText'),
    eventName: jsonText(json.eventName, 'eventName'),
    body: json.body == null ? undefined : jsonValueText(json.body, 0),
    attributes: jsonAttributes(json.attributes),
    flags: Number(jsonInteger(json.flags, 'flags')),
    traceId: jsonText(json.traceId, 'traceId').toLowerCase(),
    spanId: jsonText(json.spanId, 'spanId').toLowerCase(),
  };
}
