import { describe, expect, it } from 'vitest';
import { sizeOf } from './dataset.js';
import { pageKinds, pagePaths } from './queries.js';

const size = sizeOf(10_000_000);

describe('the data set of the pages', () => {
  it('consists of real flights to three tenths, of which there are three million', () => {
    expect(size).toEqual({ made: 7_000_000, flights: 3_000_000 });
    expect(sizeOf(100)).toEqual({ made: 70, flights: 30 });
    expect(sizeOf(20_000_000)).toEqual({ made: 17_000_000, flights: 3_000_000 });
  });
});

describe.each(pageKinds)('pages by %s', (kind) => {
  it('are the same for the same seed, and others for another seed', () => {
    const first = pagePaths(kind, size, { count: 50, seed: 1 });
    expect(pagePaths(kind, size, { count: 50, seed: 1 })).toEqual(first);
    expect(pagePaths(kind, size, { count: 50, seed: 2 })).not.toEqual(first);
  });

  it('are inside the stored data', () => {
    for (const path of pagePaths(kind, { made: 1_000_000, flights: 0 }, { count: 200, seed: 1 })) {
      const query = new URLSearchParams(path.split('?')[1]);
      const entity = query.get('entity_id')?.replace('entity-', '') ?? '0';
      expect(Number(entity)).toBeLessThan(10_000);
      const since = query.get('since') ?? '2026-01-01';
      expect(since >= '2026-01-01' && since < '2026-01-04').toBe(true);
    }
  });
});
