import { expect, it } from 'vitest';
import type { ProjectionDefinition } from '#definitions';
import { maxProjectionKeys, MemoryStore } from '#store';
import { ProjectionTables, type Found } from './projection-tables.js';

const serving = { id: 'b'.repeat(24), spec: { fields: { n: { op: 'count' } } } };
const projections = { get: () => ({ serving }) as unknown as ProjectionDefinition };

it('finds as many keys as a stretch of events may have', async () => {
  const definitions = { projections } as unknown as ConstructorParameters<
    typeof ProjectionTables
  >[0]['definitions'];
  const tables = new ProjectionTables({ definitions, store: new MemoryStore().projections, now: () => 0 });
  const found: Found = new Map();
  const lookups = Array.from({ length: 2 * maxProjectionKeys + 1 }, (_, i) => ({
    ...{ projection: 'p', key: `k-${i}` },
  }));

  await tables.load(lookups, found);

  expect(found.size).toBe(lookups.length);
});
