import { describe, expect, it } from 'vitest';
import { stepsTaken } from '#async';
import { compileParsed, parseExpression, toJson } from '#cel';
import type { StoredEvent } from '#event';
import { eventValue } from './event-value.js';
import { storedEventVariable } from './event-variable.js';

const event: StoredEvent = {
  event_id: 'i',
  stream: 's',
  event_type: 't',
  entity_id: null,
  version: null,
  timestamp: '1970-01-01T00:00:01.500000Z',
  ingested_at: '1970-01-01T00:00:02.000000Z',
  data: '{"amounts":[1,2.50,9007199254740993]}',
  metadata: '{"source":"web"}',
  schema_version: null,
  partition: 0,
  offset: 1,
};
const evaluate = (text: string) =>
  compileParsed(parseExpression(text), storedEventVariable)(eventValue(event));

describe('an event as the value of the variable event', () => {
  it.each([
    ['event.stream + event.event_type', 'st'],
    ['event.entity_id == null && event.version == null', true],
    ['event.ingested_at - event.timestamp == duration("0.5s")', true],
    ['event.data.amounts[2] == 9007199254740993', true],
    ['event.metadata.source', 'web'],
    ['event.offset', 1],
  ])('has its members: %s is %j', (text, value) => {
    expect(evaluate(text)).toEqual(value);
  });

  it('is written as JSON with its data and its metadata', () => {
    expect(JSON.parse(toJson(eventValue(event), { maxLength: 1000 })!)).toEqual({
      ...event,
      data: { amounts: [1, 2.5, 9007199254740992] },
      metadata: { source: 'web' },
    });
  });

  it('counts the steps of an expression in the total of the process, at which long work pauses', () => {
    const before = stepsTaken;
    evaluate('event.data.amounts.all(n, n > 0)');
    expect(stepsTaken).toBeGreaterThan(before);
  });
});
