import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CommittedOffsetsWatch } from './committed-watch.js';

const forever = new AbortController().signal;
setMaxListeners(100, forever);

describe('a watch of the committed offsets of a consumer group', () => {
  it('waits until the group has passed the offset, not only reached it', async () => {
    const group = new Group();
    const watch = group.watch();
    const waiting = watch.passed({ partition: 1, offset: 5 }, forever);
    group.offsets.set(1, 5);
    await group.polled();
    expect(watch.size).toBe(1);
    group.offsets.set(1, 6);
    await waiting;
    expect(watch.size).toBe(0);
  });

  it('polls once for all waiters, with one poll at a time, and not at all without waiters', async () => {
    const group = new Group();
    const watch = group.watch();
    const waiting = Array.from({ length: 50 }, (_, offset) =>
      watch.passed({ partition: 0, offset }, forever),
    );
    await group.polled();
    expect(group.polls).toBeLessThan(10);
    expect(group.mostAtOnce).toBe(1);
    group.offsets.set(0, 50);
    await Promise.all(waiting);
    await group.quiet();
    const polls = group.polls;
    await watch.passed({ partition: 0, offset: 49 }, forever);
    await sleep(10);
    expect(group.polls).toBe(polls);
  });

  it('polls again for a waiter that comes later', async () => {
    const group = new Group();
    const watch = group.watch();
    group.offsets.set(0, 1);
    await watch.passed({ partition: 0, offset: 0 }, forever);
    await group.quiet();
    group.offsets.set(0, 2);
    await watch.passed({ partition: 0, offset: 1 }, forever);
  });

  it('rejects all waiters when the log fails, and works again afterwards', async () => {
    const group = new Group();
    const watch = group.watch();
    group.failure = new Error('no broker');
    const both = [0, 1].map((partition) => watch.passed({ partition, offset: 0 }, forever));
    await expect(both[0]).rejects.toThrow('no broker');
    await expect(both[1]).rejects.toThrow('no broker');
    await group.quiet();
    group.failure = undefined;
    group.offsets.set(0, 1);
    await watch.passed({ partition: 0, offset: 0 }, forever);
  });

  it('asks the group to flush while somebody waits, and never for an offset that has passed', async () => {
    const group = new Group();
    const watch = group.watch();
    group.offsets.set(0, 1);
    await watch.passed({ partition: 0, offset: 0 }, forever);
    await group.quiet();
    expect(group.flushes).toBe(0);
    const waiting = watch.passed({ partition: 0, offset: 1 }, forever);
    await group.polled();
    await group.polled();
    expect(group.flushes).toBeGreaterThan(0);
    group.offsets.set(0, 2);
    await waiting;
  });

  it('stops polling when the only waiter aborts', async () => {
    const group = new Group();
    const watch = group.watch();
    const client = new AbortController();
    const waiting = watch.passed({ partition: 0, offset: 0 }, client.signal);
    client.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    expect(watch.size).toBe(0);
  });
});

/** A consumer group whose committed offsets the spec sets. */
class Group {
  readonly offsets = new Map<number, number>();
  polls = 0;
  mostAtOnce = 0;
  flushes = 0;
  failure: Error | undefined;
  private running = 0;

  watch(): CommittedOffsetsWatch {
    return new CommittedOffsetsWatch({
      admin: this,
      group: 'g',
      topic: 't',
      pollMs: 1,
      flush: () => this.flushes++,
    });
  }

  async committed(): Promise<Map<number, number>> {
    this.polls++;
    this.running++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.running);
    await sleep(1);
    this.running--;
    if (this.failure) throw this.failure;
    return new Map(this.offsets);
  }

  /** Resolves after two more polls have begun, so that one complete poll has ended. */
  async polled(): Promise<void> {
    const target = this.polls + 2;
    while (this.polls < target) await sleep(1);
  }

  async quiet(): Promise<void> {
    await sleep(10);
  }
}
