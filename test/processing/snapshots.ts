import { expect } from 'vitest';
import { allStreams } from '#api';
import { idOf } from '#testkit';
import { ClickHouseEntitySnapshotStore } from '#features/entities/state';
import type { DirectSystemAccess } from './direct-system-access.js';

/** The number of versions between two snapshots of an entity. */
export const snapshotEvery = 5;

/**
 * Asserts that each snapshot equals the fold of the events up to its version, and that each version has at most one.
 */
export async function expectSnapshots(
  { store, stack }: DirectSystemAccess,
  streams: readonly string[],
): Promise<void> {
  const snapshots = new ClickHouseEntitySnapshotStore(store);
  for (const name of streams) {
    const stream = await idOf(stack, name);
    const stored = async () => (await snapshots.snapshots({ access: allStreams, stream, limit: 1000 })).items;
    // The snapshotter lags behind the log, so its last saves may follow the end of the load.
    await expect.poll(async () => (await stored()).length).toBeGreaterThan(3);
    const items = await stored();
    const versions = items.map(({ entity_id, version }) => `${entity_id} ${version}`);
    expect(new Set(versions).size).toBe(versions.length);
    for (const entityId of new Set(items.map(({ entity_id }) => entity_id))) {
      const ofEntity = items.filter(({ entity_id }) => entity_id === entityId);
      const upTo = Math.max(...ofEntity.map(({ version }) => version));
      // One query for an entity: a query for each snapshot took longer than the faults.
      const events = await snapshots.history({ access: allStreams, stream, entityId, after: 0, upTo });
      expect(events.map(({ version }) => version)).toEqual(Array.from({ length: upTo }, (_, i) => i + 1));
      for (const { version, state } of ofEntity) {
        const before = events.slice(0, version).map(({ data }) => parsed(data) as object);
        // The driver's events contain no objects or nulls as members, so folding replaces each member.
        const folded: unknown = Object.assign({}, ...before);
        expect(parsed(state)).toEqual(folded);
        expect(version % snapshotEvery).toBe(0);
      }
    }
  }
}

/** Parses JSON with -0 as 0: exact numbers have only one zero. */
function parsed(json: string): unknown {
  return JSON.parse(json, (_, value: unknown) => (value === 0 ? 0 : value));
}
