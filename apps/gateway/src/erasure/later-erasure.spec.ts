import { describe, expect, it } from 'vitest';
import type { Erasure } from '#registry';
import { laterErasure } from './later-erasure.js';

const erasure = (before: Record<string, number>, erased_at = '2026-11-21T04:00:00.000000Z'): Erasure => ({
  stream: 'orders#1',
  entity_hash: 'ab',
  before,
  erased_at,
});
const later = '2026-11-22T04:00:00.000000Z';

describe('an entity that is erased', () => {
  it('for the first time is erased as wanted', () => {
    const wanted = erasure({ 0: 5 });
    expect(laterErasure(undefined, wanted)).toBe(wanted);
  });

  it('again is erased up to the later end of each partition: no end moves back', () => {
    const current = erasure({ 0: 5, 1: 9, 2: 1 });
    expect(laterErasure(current, erasure({ 0: 7, 1: 3, 3: 2 }, later))).toEqual(
      erasure({ 0: 7, 1: 9, 2: 1, 3: 2 }, later),
    );
  });

  it('again, with nothing new in the log, stays as it is', () => {
    const current = erasure({ 0: 5, 1: 9 });
    expect(laterErasure(current, erasure({ 0: 5, 1: 9 }, later))).toBe(current);
  });
});
