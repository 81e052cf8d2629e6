import { expect, it } from 'vitest';
import { eventText } from './event-text.js';

const event = { stream: 's', event_type: 't' };

it('contains the id and the data, and only given members', () => {
  expect(eventText({ ...event, data: { a: 1 } }, 'id')).toBe(
    '{"event_id":"id","stream":"s","event_type":"t","data":{"a":1}}',
  );
});

it('contains the text of the data unchanged', () => {
  expect(eventText({ ...event, dataText: '{"n": 1.10}' }, 'id')).toMatch(/,"data":\{"n": 1\.10\}\}$/);
});

it('writes a Date as an RFC 3339 time', () => {
  const timestamp = new Date(0);
  expect(eventText({ ...event, timestamp, data: {} }, 'id')).toContain(
    '"timestamp":"1970-01-01T00:00:00.000Z"',
  );
});

it('refuses text that would break the request', () => {
  expect(() => eventText({ ...event, dataText: '{}},{"stream":"other"' }, 'id')).toThrow(
    'dataText is not JSON',
  );
});
