import type { Erasure } from '#registry';
import type { EntityErasure } from '#store';
import { createLogger } from '#telemetry';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { InsertErasureRepeater } from './insert-erasure-repeater.js';

const orders = new Set(['orders#1']);
const createdAt = '2026-11-21T00:00:00.000000Z';

describe('An erasure', () => {
  it('that is read during an insert into its stream is repeated after the insert, and not before', async () => {
    const world = new ErasureRepeaterTestBed();
    world.inserts.begin(orders);
    world.erase('a');
    await sleep(20);
    expect(world.removed).toEqual([]);
    world.inserts.end(orders);
    await vi.waitFor(() => expect(world.removed).toEqual(['a']));
  });

  it('that is read during two inserts into its stream is repeated after the last of them', async () => {
    const world = new ErasureRepeaterTestBed();
    for (let n = 0; n < 2; n++) world.inserts.begin(orders);
    world.erase('a');
    world.inserts.end(orders);
    await sleep(20);
    expect(world.removed).toEqual([]);
    world.inserts.end(orders);
    await vi.waitFor(() => expect(world.removed).toEqual(['a']));
  });

  it('that is read shortly after an insert into its stream is repeated once, immediately', async () => {
    const world = new ErasureRepeaterTestBed();
    world.insert();
    world.erase('a');
    await vi.waitFor(() => expect(world.removed).toEqual(['a']));
    world.insert();
    world.erase('b');
    await vi.waitFor(() => expect(world.removed).toEqual(['a', 'b']));
  });

  it('that is read long after an insert, or that is of another stream, is not repeated', async () => {
    const world = new ErasureRepeaterTestBed();
    world.insert();
    world.erase('a', 'other');
    world.clock += 60_000;
    world.erase('b');
    await sleep(20);
    expect(world.removed).toEqual([]);
  });

  it('that is read before the first insert is not repeated', async () => {
    const world = new ErasureRepeaterTestBed();
    world.erase('a');
    world.insert();
    await sleep(20);
    expect(world.removed).toEqual([]);
  });

  it('that fails is left to the garbage collection, and the other erasures are repeated', async () => {
    const world = new ErasureRepeaterTestBed();
    world.failure = new Error('down');
    world.insert();
    world.erase('a');
    await vi.waitFor(() => expect(world.failed).toBe(1));
    world.failure = undefined;
    world.erase('b');
    await vi.waitFor(() => expect(world.removed).toEqual(['b']));
  });
});

const open = new Set<InsertErasureRepeater>();
afterEach(() => {
  for (const inserts of open) inserts.close();
  open.clear();
});

/** The definitions, the in-memory store and the `InsertErasureRepeater` of a spec. */
class ErasureRepeaterTestBed {
  clock = 0;
  failure: Error | undefined;
  failed = 0;
  readonly removed: string[] = [];
  readonly inserts: InsertErasureRepeater;
  private readonly all: Erasure[] = [];
  private changed: () => void = () => undefined;

  constructor() {
    this.inserts = new InsertErasureRepeater({
      definitions: {
        erasures: { all: () => this.all } as never,
        onChange: (listener) => {
          this.changed = listener;
          return () => undefined;
        },
      },
      eraser: { eraseEntity: (erasure) => this.remove(erasure) },
      logger: createLogger({ name: 'test', level: 'silent' }),
      pauseMs: 1,
      now: () => this.clock,
    });
    open.add(this.inserts);
  }

  insert(): void {
    this.inserts.begin(orders);
    this.inserts.end(orders);
  }

  erase(entity_hash: string, stream = 'orders'): void {
    this.all.push({
      stream: `${stream}#1`,
      entity_hash,
      before: { 0: 5 },
      erased_at: createdAt,
    });
    this.changed();
  }

  private async remove({ entityHash }: EntityErasure): Promise<number> {
    if (this.failure) {
      this.failed++;
      throw this.failure;
    }
    this.removed.push(entityHash);
    return 1;
  }
}
