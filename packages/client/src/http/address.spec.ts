import { describe, expect, it } from 'vitest';
import { path, queryText } from './address.js';

describe('a path', () => {
  it('has its variable parts encoded', () => {
    expect(path`/api/${'a/b?c#d%'}/x/${7}`).toBe('/api/a%2Fb%3Fc%23d%25/x/7');
  });

  it.each(['', '.', '..'])('cannot contain %j, which would change the path', (name) => {
    expect(() => path`/api/${name}`).toThrow(`"${name}" cannot be part of a URL.`);
  });
});

describe('a query', () => {
  it('repeats lists, writes times in UTC and leaves out what is undefined', () => {
    const since = new Date(Date.UTC(2026, 0, 2));
    const text = queryText({
      stream: ['a', 'b'],
      limit: 5,
      order: undefined,
      since,
      dry: true,
      cursor: null,
    });
    expect(text).toBe('?stream=a&stream=b&limit=5&since=2026-01-02T00%3A00%3A00.000Z&dry=true');
  });

  it('is empty without parameters', () => {
    expect(queryText({ a: undefined })).toBe('');
  });
});
