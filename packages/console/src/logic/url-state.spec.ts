import { describe, expect, it } from 'vitest';
import { all, hrefOf, one, placeOf, withQuery } from './url-state.js';

const at = (href: string) => placeOf(new URL(href, 'http://x'));

describe('the URL of a view', () => {
  it('is read as it was written, with any characters', () => {
    const href = hrefOf(['streams', 'a/b ?#'], {
      type: ['x', 'y&z'],
      where: 'a == "1"',
      live: true,
      since: undefined,
    });
    const place = at(href);
    expect(place.segments).toEqual(['streams', 'a/b ?#']);
    expect(all(place, 'type')).toEqual(['x', 'y&z']);
    expect(one(place, 'where')).toBe('a == "1"');
    expect(one(place, 'live')).toBe('true');
    expect(one(place, 'since')).toBeUndefined();
  });

  it('keeps other parameters when some change', () => {
    const place = at('/console/streams/a?type=x&type=y&since=1');
    expect(withQuery(place, { since: '', until: '2' })).toBe('/console/streams/a?type=x&type=y&until=2');
  });

  it('is the overview without segments', () => {
    expect(hrefOf([])).toBe('/console/');
    expect(at('/console').segments).toEqual([]);
    expect(at('/console/').segments).toEqual([]);
  });

  it('keeps an invalid escape', () => {
    expect(placeOf({ pathname: '/console/streams/%zz', search: '' }).segments).toEqual(['streams', '%zz']);
  });
});
