import { describe, expect, it } from 'vitest';
import { boundsAt, errorsOf, expectedTime, rangeOf, readTime, requestTimes } from './time-range.js';

const now = Date.parse('2026-01-31T10:00:00Z');

describe('the range of a URL', () => {
  it.each([
    [{}, { name: 'all' }],
    [{ range: '1h' }, { name: '1h' }],
    [{ range: 'all' }, { name: 'all' }],
    [{ range: 'toString' }, { name: 'all' }],
    [{ since: '-1h' }, { name: 'custom', since: '-1h' }],
    [
      { range: '1h', until: '2026-01-31' },
      { name: 'custom', until: '2026-01-31' },
    ],
  ])('%j is %j', (parameters, range) => expect(rangeOf(parameters, 'all')).toEqual(range));

  it('is the default of a view that cannot show everything', () => {
    expect(rangeOf({ range: 'all' }, '1h', false)).toEqual({ name: '1h' });
  });

  it('is resolved again for each refresh, when it is relative', () => {
    const hour = rangeOf({ range: '1h' }, 'all');
    expect(boundsAt(hour, now)).toEqual({
      since: '2026-01-31T09:00:00.000Z',
      until: '2026-01-31T10:00:00.000Z',
    });
    expect(boundsAt(hour, now + 5_000).until).toBe('2026-01-31T10:00:05.000Z');
    expect(requestTimes(hour, now)).toEqual({ since: '-1h' });
  });

  it('has no bounds for everything, and those of the URL when it is custom', () => {
    expect(boundsAt({ name: 'all' }, now)).toEqual({});
    const custom = rangeOf({ since: '2026-01-30', until: '2026-01-31 12:00+02:00' }, 'all');
    const bounds = { since: '2026-01-30T00:00:00Z', until: '2026-01-31T10:00:00Z' };
    expect(boundsAt(custom, now)).toEqual(bounds);
    expect(requestTimes(custom, now)).toEqual(bounds);
    expect(errorsOf(custom, now)).toEqual({});
  });

  it('has an error beside each wrong bound, and no bound of it', () => {
    const range = rangeOf({ since: 'yesterday', until: '2026-02-30' }, 'all');
    expect(errorsOf(range, now)).toEqual({ since: expectedTime, until: expectedTime });
    expect(boundsAt(range, now)).toEqual({});
  });

  it('ends after it begins', () => {
    const errors = errorsOf(rangeOf({ since: 'now', until: '-1h' }, 'all'), now);
    expect(errors).toEqual({ until: 'Until must be later than since.' });
  });
});

describe('a time that a person writes', () => {
  it.each([
    ['2026-01-31T10:00:00Z', '2026-01-31T10:00:00Z'],
    ['2026-01-31T10:00:00.123456Z', '2026-01-31T10:00:00.123456Z'],
    ['2026-01-31T10:00:00.5+01:00', '2026-01-31T09:00:00.5Z'],
    [' 2026-01-31 10:00 ', '2026-01-31T10:00:00Z'],
    ['2026-01-31', '2026-01-31T00:00:00Z'],
    ['2026-01-31t10:00:00z', '2026-01-31T10:00:00Z'],
    ['-15m', '2026-01-31T09:45:00.000Z'],
    ['now', '2026-01-31T10:00:00.000Z'],
  ])('%s is %s', (text, time) => expect(readTime(text, now)).toBe(time));

  it.each(['', 'yesterday', '2026-02-30', '2026-01-31T25:00', '2026-01-31T10:00+99:00', '31.01.2026', '-1x'])(
    '%j is none',
    (text) => expect(readTime(text, now)).toBeUndefined(),
  );
});
