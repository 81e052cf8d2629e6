import { describe, expect, it } from 'vitest';
import { eventFromText, eventText } from './event-text.js';

describe('an event from its text', () => {
  it('keeps the text of its data, with every digit', () => {
    const text = ' {"event_type": "t", "data": {"big": 9007199254740993, "p": 1.10}, "stream": "s"}';
    const event = eventFromText(text);
    expect(event).toEqual({ stream: 's', event_type: 't', dataText: '{"big": 9007199254740993, "p": 1.10}' });
    expect(eventText(event, undefined)).toBe(
      '{"stream":"s","event_type":"t","data":{"big": 9007199254740993, "p": 1.10}}',
    );
  });

  it('keeps its expected version', () => {
    const text = '{"stream":"s","event_type":"t","entity_id":"e","expected_version":0,"data":{}}';
    expect(eventText(eventFromText(text), undefined)).toBe(text);
  });

  it.each([
    ['{"stream":', 'This is not JSON'],
    ['[]', 'An event is a JSON object.'],
    ['null', 'An event is a JSON object.'],
    ['{"data":{},"typo":1}', 'An event has no member "typo".'],
    ['{"stream":"s"}', 'The event has no data.'],
  ])('refuses %s', (text, message) => {
    expect(() => eventFromText(text)).toThrow(message);
  });
});
