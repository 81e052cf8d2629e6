import { describe, expect, it } from 'vitest';
import { allStreams } from '#api';
import { MemoryBudget } from '#dataflow';
import { JoinQueue } from './join-queue.js';
import { LiveFilter } from './live-filter.js';
import { LivePosition } from './live-position.js';
import { SameFilterLiveStreams } from './same-filter-live-streams.js';

const mib = 1024 * 1024;

function givenGroup(): { group: SameFilterLiveStreams; cursor: LivePosition } {
  const group = new SameFilterLiveStreams(new LiveFilter({ access: allStreams }));
  const cursor = new LivePosition(group.filter.binding);
  group.cursor = cursor;
  return { group, cursor };
}

/** Delivers one event of this many bytes at this offset to the listeners of a group. */
function deliver({ listeners, cursor }: SameFilterLiveStreams, offset: number, bytes = 10): void {
  cursor!.set('k'.repeat(8), 0, offset + 1);
  for (const listener of [...listeners]) listener.take({ bytes: Buffer.alloc(bytes), events: 1 });
}

describe('the queue of a live stream that joins a group', () => {
  it('has everything that the group delivers after its start, each with the position after it', () => {
    const { group, cursor } = givenGroup();
    deliver(group, 0);
    const queue = new JoinQueue(group, cursor);
    const start = queue.start.toString();
    for (const offset of [1, 2]) deliver(group, offset);
    const [first, second] = [queue.shift(), queue.shift()];
    expect(queue.shift()).toBeUndefined();
    expect(queue.start.toString()).toBe(start);
    expect([first, second].map((one) => one?.after.at('k'.repeat(8), 0))).toEqual([2, 3]);
    queue.close();
    expect(group.listeners.size).toBe(0);
  });

  it('is of no use once its bytes and positions would exceed the limit, and then holds no memory', () => {
    const { group, cursor } = givenGroup();
    const budget = new MemoryBudget(64 * mib);
    const queue = new JoinQueue(group, cursor, budget);
    deliver(group, 0, 5 * mib);
    expect([queue.isOverfull, budget.bytes]).toEqual([false, 5 * mib + 20]);
    deliver(group, 1, 4 * mib);
    expect([queue.isOverfull, budget.bytes, group.listeners.size]).toEqual([true, 0, 0]);
    expect(queue.shift()).toBeUndefined();
  });

  it('shares a limit with the other queues of the process', () => {
    const { group, cursor } = givenGroup();
    const budget = new MemoryBudget(3 * mib);
    const queues = [1, 2].map(() => new JoinQueue(group, cursor, budget));
    deliver(group, 0, 2 * mib);
    expect(queues.map(({ isOverfull }) => isOverfull)).toEqual([false, true]);
    for (const queue of queues) queue.close();
    expect(budget.bytes).toBe(0);
  });

  it('keeps the error with which the group ends its listeners', () => {
    const { group, cursor } = givenGroup();
    const queue = new JoinQueue(group, cursor);
    for (const listener of [...group.listeners]) listener.fail(new Error('too expensive'));
    expect(queue.failure?.message).toBe('too expensive');
    expect(group.listeners.size).toBe(0);
  });
});
