import { describe, expect, it } from 'vitest';
import { noOffsets } from './offset-bitmap.js';
import type { OffsetRangeVerdicts } from './offset-range-verdicts.js';
import type { VerdictListener } from './verdict-table.js';
import { VerdictWaiters } from './verdict-waiters.js';

const topicPartition = { topic: 'orders', partition: 0 };
const longMs = 60_000;

/** A table whose records the spec adds, and waiters on it. */
class GivenWaiters {
  private added: NonNullable<VerdictListener['added']> = () => undefined;
  readonly waiters = new VerdictWaiters({
    listen: ({ added = () => undefined }) => {
      this.added = added;
      return () => undefined;
    },
  });

  add(...offsets: number[]): void {
    const verdicts = offsets.map((offset) => ({ offset, version: offset + 1 }));
    const record: OffsetRangeVerdicts = {
      ...topicPartition,
      range: 0,
      from: 0,
      decided: 0,
      refused: noOffsets,
      verdicts,
    };
    this.added(record);
  }

  /** Returns the version of the verdict on this offset, or `none` if there is no verdict yet. */
  async versionAt(offset: number): Promise<number | null | undefined | 'none'> {
    const given = this.waiters.of({ ...topicPartition, offset }, longMs);
    const none = Promise.resolve().then(() => Promise.resolve('none' as const));
    const found = await Promise.race([given, none]);
    return found === 'none' ? found : found?.version;
  }
}

describe('verdict waiters', () => {
  it('given a waiter, hands it the verdict on its record when that is read', async () => {
    const given = new GivenWaiters();
    given.waiters.begin();
    const waiting = given.waiters.of({ ...topicPartition, offset: 7 }, longMs);
    given.add(6, 7);
    expect((await waiting)?.version).toBe(8);
  });

  it('given a verdict that is read before its writer waits, hands it over during the write', async () => {
    const given = new GivenWaiters();
    given.waiters.begin();
    given.add(7);
    expect(await given.versionAt(7)).toBe(8);
  });

  it('given no write in progress, keeps no verdict', async () => {
    const given = new GivenWaiters();
    given.add(6);
    const end = given.waiters.begin();
    given.add(7);
    end();
    given.waiters.begin();
    expect(await given.versionAt(6)).toBe('none');
    expect(await given.versionAt(7)).toBe('none');
  });

  it('given more verdicts without a writer than fit, forgets the oldest ones and keeps the newest 25 000', async () => {
    const given = new GivenWaiters();
    given.waiters.begin();
    for (let offset = 0; offset < 200_000; offset++) given.add(offset);
    expect(await given.versionAt(0)).toBe('none');
    expect(await given.versionAt(149_999)).toBe('none');
    expect(await given.versionAt(175_000)).toBe(175_001);
    expect(await given.versionAt(199_999)).toBe(200_000);
  });

  it('given no verdict in time, resolves with none and forgets the waiter', async () => {
    const given = new GivenWaiters();
    given.waiters.begin();
    expect(await given.waiters.of({ ...topicPartition, offset: 7 }, 1)).toBeUndefined();
    given.add(7);
    expect(await given.versionAt(7)).toBe(8);
  });
});
