import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { allStreams } from '#api';
import { systemActor } from '#registry';
import type { Log } from '#kafka';
import type { EntitySnapshotStore } from '#features/entities/state';
import { StoreUnavailableError } from '#store';
import { createLogger } from '#telemetry';
import { topics, ProcessorTestBed } from '../../../../apps/processor/src/processor.fixture.js';
import { EntitySnapshotter } from './entity-snapshotter.js';

const every = 8;
const entities = ['a', 'b', 'c'];

/**
 * A simulated snapshotter process. A spec can kill the process before or after any step; a killed process does nothing
 * more.
 */
class SimulatedSnapshotter {
  dead = false;
  readonly failures: Error[] = [];
  readonly snapshotter: EntitySnapshotter;
  private left = Infinity;

  /** @param cached Maximum number of entities whose state is kept in memory. */
  constructor(world: ProcessorTestBed, cached: number) {
    const { store, log, definitions } = world;
    this.snapshotter = new EntitySnapshotter({
      ...{ topics, definitions, log: this.logOf(log), erasures: world.erasures },
      snapshots: this.stepping(store.snapshots),
      versions: this.stepping({ latestVersions: (query) => store.writer.latestVersions(query) }),
      logger: createLogger({ name: 'test', level: 'silent' }),
      retryDelays: { firstDelayMs: 1, longestDelayMs: 5 },
      ...{ lookMs: 1, cache: { entities: cached, characters: 1e6 } },
      onFailure: (error) => this.failures.push(error),
    });
    this.snapshotter.start();
  }

  /** Ends the process as SIGKILL does, after this many further steps. */
  async killAfter(steps: number): Promise<void> {
    this.left = steps;
    await sleep(4);
    this.dead = true;
    await this.snapshotter.close();
  }

  private step(): void {
    if (this.left-- <= 0) this.dead = true;
    if (this.dead) throw new StoreUnavailableError('dead');
  }

  /**
   * Runs each call of `target` as two steps: the process can die before the call starts, or before its response
   * arrives.
   */
  private stepping<Target extends object>(target: Target): Target {
    return new Proxy(target, {
      get: (_, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]): Promise<unknown> => {
          this.step();
          const answer: unknown = await Reflect.apply(value, target, args);
          this.step();
          return answer;
        };
      },
    });
  }

  private logOf(log: ProcessorTestBed['log']): Pick<Log, 'admin' | 'consumer'> {
    return {
      admin: log.admin,
      consumer: (options) => {
        const consumer = log.consumer(options);
        return {
          joined: true,
          fetchNow: () => undefined,
          subscribe: (names) => consumer.subscribe(names),
          reassign: (topic, partition) => consumer.reassign(topic, partition),
          close: () => consumer.close(),
          commit: async (topic, partition, offset) => {
            this.step();
            return consumer.commit(topic, partition, offset);
          },
        };
      },
    };
  }
}

/** With `again`, a record repeats the id of an earlier event, so it is no event. */
const writes = fc.array(
  fc.record({
    ...{ entity: fc.constantFrom(...entities), n: fc.nat(9) },
    again: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, fc.nat(20)),
  }),
  { maxLength: 20 },
);
const actions = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ write: writes }) },
    { weight: 2, arbitrary: fc.record({ killAfter: fc.nat(16) }) },
  ),
  { minLength: 1, maxLength: 10 },
);

it('makes each snapshot once and correctly, with at most a short delay, when the process dies at any step', async () => {
  await fc.assert(
    fc.asyncProperty(actions, fc.constantFrom(1, 100), async (script, cached) => {
      const world = await ProcessorTestBed.make([], 2);
      await world.definitions.createStream({ stream: 'orders', snapshot_every: every }, systemActor);
      const written = new Map<string, Record<string, number>[]>(entities.map((entity) => [entity, []]));
      let id = 0;
      const sent: { id: number; entity: string; data: Record<string, number> }[] = [];
      const write = async (events: { entity: string; n: number; again?: number | undefined }[]) => {
        const own = events.map(({ entity, n, again }) => {
          const repeated = again === undefined ? undefined : sent[again % Math.max(1, sent.length)];
          if (repeated) return { ...repeated, data: { repeated: n } };
          const event = { id: id++, entity, data: { [`k${n}`]: id } };
          sent.push(event);
          written.get(entity)!.push(event.data);
          return event;
        });
        await world.write(own);
        await world.materialize('orders', { ownTimes: true });
      };
      let one = new SimulatedSnapshotter(world, cached);
      const all = [one];
      for (const action of script) {
        if ('write' in action) await write(action.write);
        else {
          await one.killAfter(action.killAfter);
          all.push((one = new SimulatedSnapshotter(world, cached)));
        }
      }
      // After this many events, the last process has looked up the version of an entity that it did not know.
      for (const entity of entities)
        await write(Array.from({ length: every / 4 }, (_, n) => ({ entity, n })));
      await vi.waitFor(() => expectThrough(world), { timeout: 10_000, interval: 2 });
      const { items } = await (world.store.snapshots as EntitySnapshotStore).snapshots({
        ...{ access: allStreams, stream: world.idOf('orders'), limit: 1000 },
      });
      for (const entity of entities) {
        const own = items.filter(({ entity_id }) => entity_id === entity);
        const versions = own.map(({ version }) => version);
        const events = written.get(entity)!;
        expect(new Set(versions).size).toBe(versions.length);
        expect(versions.filter((version) => version % every !== 0)).toEqual([]);
        expect(Math.max(0, ...versions)).toBe(events.length - (events.length % every));
        for (const { version, state } of own)
          expect(JSON.parse(state)).toEqual(Object.assign({}, ...events.slice(0, version)));
      }
      expect(all.flatMap(({ failures }) => failures)).toEqual([]);
      await one.snapshotter.close();
      await world.close();
    }),
    { numRuns: 60, endOnFailure: true },
  );
});

async function expectThrough(world: ProcessorTestBed): Promise<void> {
  const { log } = world;
  const topic = world.topicOf('orders');
  const committed = await log.admin.committed(topics.snapshotGroup, topic);
  for (const { partition, end } of await log.admin.offsets(topic))
    expect(committed.get(partition) ?? 0).toBe(end);
}
