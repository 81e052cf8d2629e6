import { describe, expect, it } from 'vitest';
import { nextPageHeaders } from './event-page.js';

describe('the headers for the next page', () => {
  it('are absent on the last page', () => {
    expect(nextPageHeaders('/api/v1/events/query', undefined)).toEqual({});
  });

  it('link to the same request with the new cursor and without wait_for', () => {
    const url = '/api/v1/events/query?stream=a&stream=b&cursor=old&wait_for=a:0:1&where=x%20%3E%201';
    expect(nextPageHeaders(url, 'new_1')).toEqual({
      'x-next-cursor': 'new_1',
      link: '</api/v1/events/query?stream=a&stream=b&cursor=new_1&where=x+%3E+1>; rel="next"',
    });
  });

  it('cannot be used to inject other headers', () => {
    const { link } = nextPageHeaders('/x%0d%0ay?where=%0d%0aSet-Cookie:1>', 'a\r\nb');
    expect(link).not.toMatch(/[\r\n]/);
    expect(link?.match(/>/g)).toHaveLength(1);
  });
});
