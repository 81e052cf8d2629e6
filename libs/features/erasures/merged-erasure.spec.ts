import { describe, expect, it } from 'vitest';
import type { Erasure } from '#registry';
import { mergedErasure } from './merged-erasure.js';

const erasure = (before: Record<string, number>, erased_at = '2026-11-21T04:00:00.000000Z'): Erasure => ({
  stream: 'orders#1',
  entity_hash: 'ab',
  before,
  erased_at,
});
const later = '2026-11-22T04:00:00.000000Z';

describe('merging a new erasure of an entity', () => {
  it('returns the new erasure when there is none yet', () => {
    const wanted = erasure({ 0: 5 });
    expect(mergedErasure(undefined, wanted)).toBe(wanted);
  });

  it('uses the later end of each partition, so that no end moves back', () => {
    const current = erasure({ 0: 5, 1: 9, 2: 1 });
    expect(mergedErasure(current, erasure({ 0: 7, 1: 3, 3: 2 }, later))).toEqual(
      erasure({ 0: 7, 1: 9, 2: 1, 3: 2 }, later),
    );
  });

  it('returns the current erasure when the log has nothing new', () => {
    const current = erasure({ 0: 5, 1: 9 });
    expect(mergedErasure(current, erasure({ 0: 5, 1: 9 }, later))).toBe(current);
  });
});
