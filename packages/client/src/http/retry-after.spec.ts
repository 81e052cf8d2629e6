import { expect, it } from 'vitest';
import { UnexpectedStatusError } from '../errors/tributary-error.js';
import { backOffMs, retryAfterSeconds } from './back-off.js';

it.each([
  ['7', 7],
  ['Thu, 01 Jan 2026 00:00:05 GMT', 5],
  ['Thu, 01 Jan 2025 00:00:00 GMT', 0],
  ['soon', undefined],
])('Retry-After: %s means %s seconds', (text, seconds) => {
  expect(retryAfterSeconds(new Headers({ 'retry-after': text }), Date.UTC(2026, 0, 1))).toBe(seconds);
});

it('is undefined without the header', () => {
  expect(retryAfterSeconds(new Headers())).toBeUndefined();
});

it('the back-off is random, its maximum doubles with each failure, and it is at least Retry-After', () => {
  const waits = Array.from({ length: 200 }, () => backOffMs(3, undefined));
  expect(Math.min(...waits)).toBeLessThan(200);
  expect(Math.max(...waits)).toBeGreaterThan(600);
  expect(Math.max(...waits)).toBeLessThanOrEqual(800);
  expect(backOffMs(30, undefined)).toBeLessThanOrEqual(5_000);
  expect(backOffMs(1, new UnexpectedStatusError(503, '', 2))).toBeGreaterThanOrEqual(2_000);
});
