import { describe, expect, it } from 'vitest';
import { pageMediaType } from './event-page.js';

describe('the media type of a page', () => {
  it.each([
    [undefined, 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['application/json', 'application/json'],
    ['application/x-ndjson', 'application/x-ndjson'],
    ['text/csv', 'text/csv'],
    ['application/cloudevents-batch+json', 'application/cloudevents-batch+json'],
    ['text/*', 'text/csv'],
    ['text/csv;q=0.5, application/x-ndjson', 'application/x-ndjson'],
    ['application/json;q=0, */*', 'application/x-ndjson'],
    ['text/html, application/xhtml+xml, */*;q=0.8', 'application/json'],
  ])('for the header Accept: %s is %s', (accept, type) => {
    expect(pageMediaType(accept)).toBe(type);
  });

  it.each(['text/html', 'application/xml', 'application/json;q=0', 'nonsense'])(
    'is not available for the header Accept: %s',
    (accept) => {
      expect(() => pageMediaType(accept)).toThrow(expect.objectContaining({ code: 'not_acceptable' }));
    },
  );
});
