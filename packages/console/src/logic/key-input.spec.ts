import { describe, expect, it } from 'vitest';
import { expiresSoon, keyLimits } from './key-input.js';

describe('the limits of a new key', () => {
  const empty = { streams: '', expires: '', events: '', requests: '' };

  it('are none if the form is empty', () => {
    expect(keyLimits({ ...empty, streams: ' , ' })).toEqual({});
  });

  it('are the streams, the time in UTC and the rates of the form', () => {
    const form = { streams: 'orders, payments.*', expires: '2026-12-31T23:59', events: '10', requests: '' };
    expect(keyLimits(form)).toEqual({
      streams: ['orders', 'payments.*'],
      expires_at: '2026-12-31T23:59:00Z',
      rate_limit: { events_per_second: 10 },
    });
  });
});

it('an active key expires soon if at most seven days are left', () => {
  const now = Date.parse('2026-11-01T00:00:00Z');
  const key = (expires_at: string | null, status: 'active' | 'revoked' = 'active') => ({
    status,
    expires_at,
  });
  expect(expiresSoon(key('2026-11-08T00:00:00Z'), now)).toBe(true);
  expect(expiresSoon(key('2026-11-08T00:00:01Z'), now)).toBe(false);
  expect(expiresSoon(key(null), now)).toBe(false);
  expect(expiresSoon(key('2026-11-02T00:00:00Z', 'revoked'), now)).toBe(false);
});
