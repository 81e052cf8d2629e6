import { expect, it } from 'vitest';
import { UuidV7Generator } from './uuid-v7.js';

it('generates UUIDs of version 7 that increase, even if the clock is set back', () => {
  const clock = [5_000_000, 5_000_000, 4_000_000, 5_000_001];
  const ids = new UuidV7Generator(() => clock[Math.floor(Math.random() * clock.length)]!);
  const made = Array.from({ length: 20_000 }, () => ids.next());
  for (const id of made)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(made).toEqual(made.toSorted());
  expect(new Set(made).size).toBe(made.length);
});

it('begins with the time', () => {
  expect(new UuidV7Generator(() => 0x123456789abc).next()).toMatch(/^12345678-9abc-7000-/);
});
