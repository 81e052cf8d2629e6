import { describe, expect, it } from 'vitest';
import { UuidV7Generator } from './uuid-v7.js';

const form = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('UUIDv7', () => {
  it('has the format of RFC 9562 and begins with the time', () => {
    const ids = new UuidV7Generator(() => 0x019aa4e27d53);
    expect(ids.next()).toMatch(form);
    expect(ids.next()).toMatch(/^019aa4e2-7d53-7/);
  });

  it('increases strictly, even within a millisecond and when the clock steps back', () => {
    let now = 1_795_233_600_000;
    const ids = new UuidV7Generator(() => now);
    const made = Array.from({ length: 20_000 }, (_, i) => {
      if (i === 10_000) now -= 3_600_000;
      return ids.next();
    });
    expect(made).toEqual([...made].sort());
    expect(new Set(made).size).toBe(made.length);
    expect(made.every((id) => form.test(id))).toBe(true);
  });

  it('is random if two generators use the same millisecond', () => {
    const both = [new UuidV7Generator(() => 1), new UuidV7Generator(() => 1)].map((ids) =>
      ids.next().slice(19),
    );
    expect(both[0]).not.toBe(both[1]);
  });
});
