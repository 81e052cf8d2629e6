import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Store } from '#store';
import type { EntitySnapshotStore } from '../snapshots/clickhouse-entity-snapshot-store.js';
import { mergePatched } from '../../../core/dataflow/fold-operations/merge-patch.fixture.js';
import { rowBatchesOf } from '../../../core/store/row-batch/row-batches-of.fixture.js';
import type { EntitySnapshot } from '../snapshots/entity-snapshot.js';
import { entityEvent, entityOf, microsecondsOf2026 as t0 } from './entity.fixture.js';
import { entityState } from './entity-state.js';
import { createSnapshot } from './create-snapshot.js';

const name = fc.constantFrom('a', 'b', 'c');
const value = fc.oneof(
  fc.constant(null),
  fc.integer(),
  fc.array(fc.integer(), { maxLength: 2 }),
  fc.dictionary(name, fc.option(fc.integer()), { maxKeys: 3, noNullPrototype: true }),
);

/** Arbitrary histories of one entity: events with timestamps in any order; after some of them, a snapshot is saved. */
const histories = fc.record({
  events: fc.array(
    fc.record({
      data: fc.dictionary(name, value, { maxKeys: 3, noNullPrototype: true }),
      seconds: fc.nat(20),
      snapshotAfter: fc.boolean(),
      writtenAgain: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  ),
  asOf: fc.nat(20),
});

const microseconds = (seconds: number) => t0 + seconds * 1_000_000;

/** Specs for any store: the state of an entity does not depend on which snapshots exist. */
export function describeEntityStates(
  store: () => Pick<Store, 'writer'> & { snapshots: EntitySnapshotStore },
  { numRuns }: { numRuns: number },
): void {
  it('is the fold of the events by version, currently and as of any time, with and without snapshots', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async ({ events, asOf }) => {
        const [plain, kept] = [`s-${randomUUID()}`, `s-${randomUUID()}`];
        for (const stream of [plain, kept]) {
          for (const [i, { data, seconds, writtenAgain }] of events.entries()) {
            const row = entityEvent(stream, i + 1, {
              data: JSON.stringify(data),
              timestamp: microseconds(seconds),
            });
            for (let time = 0; time < (writtenAgain ? 2 : 1); time++)
              await store().writer.appendRowBatches(rowBatchesOf([row]), randomUUID());
            if (stream === kept && events[i]!.snapshotAfter) await make(stream, i + 1);
          }
        }
        const fold = (until: number) =>
          events.reduce<unknown>(
            (state, { data, seconds }) => (seconds <= until ? mergePatched(state, data) : state),
            {},
          );
        for (const until of [undefined, asOf]) {
          const time = until === undefined ? {} : { asOf: microseconds(until) };
          const [without, withSnapshots] = await Promise.all(
            [plain, kept].map((stream) => entityState(store().snapshots, { ...entityOf(stream), ...time })),
          );
          expect(without?.from).toBeUndefined();
          expect(withSnapshots && { ...withSnapshots, from: undefined }).toEqual(
            without && { ...without, from: undefined },
          );
          const version = events.findLastIndex(({ seconds }) => seconds <= (until ?? Infinity)) + 1;
          expect(without?.version ?? 0).toBe(version);
          if (without) expect(JSON.parse(without.state)).toEqual(fold(until ?? Infinity));
        }
        for (const snapshot of await snapshotsOf(kept)) {
          const upTo = events.slice(0, snapshot.version);
          expect(JSON.parse(snapshot.state)).toEqual(
            upTo.reduce<unknown>((state, { data }) => mergePatched(state, data), {}),
          );
          expect(snapshot.latest_timestamp).toBe(
            Math.max(...upTo.map(({ seconds }) => microseconds(seconds))),
          );
        }
        expect((await snapshotsOf(kept)).map(({ version }) => version)).toEqual(
          events.flatMap(({ snapshotAfter }, i) => (snapshotAfter ? [i + 1] : [])).reverse(),
        );
      }),
      { numRuns },
    );
  });

  const make = (stream: string, now: number) =>
    createSnapshot(store().snapshots, { ...entityOf(stream), reason: 'requested', now });

  async function snapshotsOf(stream: string): Promise<EntitySnapshot[]> {
    const query = { access: entityOf(stream).access, stream, limit: 100 };
    return (await store().snapshots.snapshots(query)).items;
  }
}
