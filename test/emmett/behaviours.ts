import { randomUUID } from 'node:crypto';
import {
  CommandHandler,
  ExpectedVersionConflictError,
  type AppendToStreamOptions,
  type Event,
  type EventStore,
  type ReadEvent,
  type ReadEventMetadataWithoutGlobalPosition,
} from '@event-driven-io/emmett';
import { describe, expect, it } from 'vitest';

type Moved = Event<'Moved', { by: number }>;
type Renamed = Event<'Renamed', { name: string }, { author: string }>;
type BoatEvent = Moved | Renamed;

interface Boat {
  position: number;
  name?: string;
}

const moved = (by: number): Moved => ({ type: 'Moved', data: { by } });
const renamed = (name: string): Renamed => ({
  ...{ type: 'Renamed', data: { name } },
  metadata: { author: 'Ada' },
});
const initialState = (): Boat => ({ position: 0 });
const evolve = (boat: Boat, { type, data }: BoatEvent): Boat =>
  type === 'Moved' ? { ...boat, position: boat.position + data.by } : { ...boat, name: data.name };

type Expectation = NonNullable<AppendToStreamOptions['expectedStreamVersion']>;

/**
 * What the users of emmett's interface rely on. The store in memory of emmett has to pass it, too: a behaviour that it
 * does not have is none of emmett.
 */
export function itBehavesLikeAnEventStore(
  store: () => EventStore<ReadEventMetadataWithoutGlobalPosition>,
): void {
  const append = (name: string, events: BoatEvent[], expectedStreamVersion?: Expectation) =>
    store().appendToStream<BoatEvent>(name, events, { expectedStreamVersion });
  const read = (name: string) => store().readStream<BoatEvent>(name);

  describe('a stream', () => {
    it('does not exist before its first event', async () => {
      const name = randomUUID();
      expect(await read(name)).toEqual({ currentStreamVersion: 0n, events: [], streamExists: false });
      expect(await store().streamExists(name)).toBe(false);
      const aggregated = await store().aggregateStream<Boat, BoatEvent>(name, { evolve, initialState });
      expect(aggregated).toEqual({ currentStreamVersion: 0n, state: { position: 0 }, streamExists: false });
    });

    it('has the events of all appends in their order, with positions, names and ids', async () => {
      const name = randomUUID();
      expect(await append(name, [moved(1), renamed('Argo')])).toEqual({
        ...{ nextExpectedStreamVersion: 2n, createdNewStream: true },
      });
      expect(await append(name, [moved(2)])).toEqual({
        ...{ nextExpectedStreamVersion: 3n, createdNewStream: false },
      });
      const { events, ...rest } = await read(name);
      expect(rest).toEqual({ currentStreamVersion: 3n, streamExists: true });
      expect(events).toMatchObject([
        { ...moved(1), metadata: { streamName: name, streamPosition: 1n } },
        { ...renamed('Argo'), metadata: { author: 'Ada', streamName: name, streamPosition: 2n } },
        { ...moved(2), metadata: { streamName: name, streamPosition: 3n } },
      ]);
      expect(new Set(events.map(({ metadata }) => metadata.messageId)).size).toBe(3);
      expect(await store().streamExists(name)).toBe(true);
    });

    it.each([
      ['from', { from: 1n }, [2, 3, 4]],
      ['to', { to: 2n }, [1, 2]],
      ['from and to', { from: 1n, to: 3n }, [2, 3]],
      ['from and maxCount', { from: 1n, maxCount: 2n }, [2, 3]],
      ['from its end', { from: 4n }, []],
    ] as const)('is read in part: %s', async (_, options, expected) => {
      const name = randomUUID();
      await append(name, [moved(1), moved(2)]);
      await append(name, [moved(3), moved(4)]);
      const { events, currentStreamVersion } = await store().readStream<Moved>(name, options);
      expect(events.map(({ data }) => data.by)).toEqual(expected);
      expect(events.map(({ metadata }) => Number(metadata.streamPosition))).toEqual(expected);
      expect(currentStreamVersion).toBe(4n);
    });

    it('is aggregated to its state, now or at a version', async () => {
      const name = randomUUID();
      await append(name, [moved(1)]);
      await append(name, [moved(2), renamed('Argo')]);
      const at = (to?: bigint) =>
        store().aggregateStream<Boat, BoatEvent>(name, { evolve, initialState, read: { to } });
      expect(await at()).toEqual({
        ...{ currentStreamVersion: 3n, state: { position: 3, name: 'Argo' }, streamExists: true },
      });
      expect(await at(1n)).toMatchObject({ currentStreamVersion: 1n, state: { position: 1 } });
      expect(await at(2n)).toMatchObject({ currentStreamVersion: 2n, state: { position: 3 } });
    });

    it('is aggregated with the metadata of its events', async () => {
      const name = randomUUID();
      await append(name, [moved(1), moved(2)]);
      const { state } = await store().aggregateStream<bigint[], Moved>(name, {
        initialState: () => [],
        evolve: (
          positions: bigint[],
          { metadata }: ReadEvent<Moved, ReadEventMetadataWithoutGlobalPosition>,
        ) => [...positions, metadata.streamPosition],
      });
      expect(state).toEqual([1n, 2n]);
    });
  });

  describe('an append', () => {
    const expectations: [Expectation, { missing: boolean; existing: boolean }][] = [
      ['NO_CONCURRENCY_CHECK', { missing: true, existing: true }],
      ['STREAM_DOES_NOT_EXIST', { missing: true, existing: false }],
      ['STREAM_EXISTS', { missing: false, existing: true }],
      [0n, { missing: true, existing: false }],
      [1n, { missing: false, existing: false }],
      [2n, { missing: false, existing: true }],
      [3n, { missing: false, existing: false }],
    ];

    it.each(expectations)('that expects %s is written or is a conflict', async (expected, outcomes) => {
      const [missing, existing] = [randomUUID(), randomUUID()];
      await append(existing, [moved(1), moved(2)]);
      const outcome = async (name: string) => {
        const before = (await read(name)).events.length;
        const written = await append(name, [moved(3), moved(4)], expected).then(
          () => true,
          (error: unknown) => {
            expect(error).toBeInstanceOf(ExpectedVersionConflictError);
            expect(error).toMatchObject({ current: String(before), expected: String(expected) });
            return false;
          },
        );
        expect((await read(name)).events).toHaveLength(written ? before + 2 : before);
        return written;
      };
      expect({ missing: await outcome(missing), existing: await outcome(existing) }).toEqual(outcomes);
    });

    it('of many at once with the same expected version is written once', async () => {
      const name = randomUUID();
      const appends = Array.from({ length: 10 }, async (_, n) => append(name, [moved(n), moved(n)], 0n));
      const results = await Promise.allSettled(appends);
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results)
        if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ExpectedVersionConflictError);
      const { events } = await read(name);
      expect(events).toHaveLength(2);
      expect(events[0]!.data).toEqual(events[1]!.data);
    });

    it('of many at once without an expected version is written as a whole', async () => {
      const name = randomUUID();
      const appends = Array.from({ length: 6 }, async (_, n) => append(name, [moved(n), moved(n)]));
      const results = await Promise.all(appends);
      const versions = results.map(({ nextExpectedStreamVersion }) => Number(nextExpectedStreamVersion));
      expect(versions.toSorted((a, b) => a - b)).toEqual([2, 4, 6, 8, 10, 12]);
      const events = (await store().readStream<Moved>(name)).events.map(({ data }) => data.by);
      for (let i = 0; i < events.length; i += 2) expect(events[i]).toBe(events[i + 1]);
      expect(events.toSorted()).toEqual([0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    });
  });

  it('a read that expects another version is a conflict', async () => {
    const name = randomUUID();
    await append(name, [moved(1)]);
    const reads = (['STREAM_DOES_NOT_EXIST', 0n] as const).map(
      (expectedStreamVersion) => () => store().readStream<BoatEvent>(name, { expectedStreamVersion }),
    );
    // The store in memory throws before it returns a promise.
    for (const one of reads) await expect(async () => one()).rejects.toThrow(ExpectedVersionConflictError);
    expect(await store().readStream(name, { expectedStreamVersion: 1n })).toMatchObject({
      streamExists: true,
    });
  });

  it('events are stored in an older form, and read in the current one', async () => {
    const name = randomUUID();
    type Stored = Event<'Moved', { metres: number }>;
    await store().appendToStream<Moved, Stored>(name, [moved(5)], {
      schema: { versioning: { downcast: ({ data }) => ({ type: 'Moved', data: { metres: data.by } }) } },
    });
    expect((await store().readStream<Stored>(name)).events).toMatchObject([{ data: { metres: 5 } }]);
    const { events } = await store().readStream<Moved, Stored>(name, {
      schema: { versioning: { upcast: ({ data }) => moved(data.metres) } },
    });
    expect(events).toMatchObject([moved(5)]);
  });

  describe('a command handler', () => {
    const handle = CommandHandler<Boat, BoatEvent>({ evolve, initialState });

    it('decides on the state, and appends to it', async () => {
      const name = randomUUID();
      const sail = ({ position }: Boat) => (position < 3 ? [moved(2), moved(1)] : []);
      expect(await handle(store(), name, sail)).toMatchObject({
        ...{ nextExpectedStreamVersion: 2n, createdNewStream: true, newState: { position: 3 } },
      });
      expect(await handle(store(), name, sail)).toMatchObject({
        nextExpectedStreamVersion: 2n,
        newEvents: [],
      });
    });

    it('decides again after a conflict, if its retries are on', async () => {
      const name = randomUUID();
      await append(name, [moved(1)]);
      let decisions = 0;
      const decide = async ({ position }: Boat) => {
        if (++decisions === 1) await append(name, [moved(10)]);
        return moved(position);
      };
      await handle(store(), name, decide, { retry: { onVersionConflict: true } });
      const { events } = await store().readStream<Moved>(name);
      expect([decisions, events.map(({ data }) => data.by)]).toEqual([2, [1, 10, 11]]);
    });

    it('passes the conflict on otherwise', async () => {
      const name = randomUUID();
      const decide = async () => {
        await append(name, [moved(1)]);
        return moved(2);
      };
      await expect(handle(store(), name, decide)).rejects.toThrow(ExpectedVersionConflictError);
      expect((await read(name)).events).toHaveLength(1);
    });
  });
}
