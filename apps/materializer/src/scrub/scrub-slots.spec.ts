import { describe, expect, it } from 'vitest';
import { ScrubSlots } from './scrub-slots.js';

describe('Slots of the scrub', () => {
  it('are given to the partition that has waited longest, when another one has ended', async () => {
    const slots = new ScrubSlots(2);
    const partitions = Array.from({ length: 5 }, () => new AbortController());
    const begun: number[] = [];
    const taken = partitions.map(({ signal }, i) => slots.take(signal).then(() => begun.push(i)));
    await Promise.all(taken.slice(0, 2));
    expect(begun).toEqual([0, 1]);
    partitions[2]!.abort();
    await expect(taken[2]).rejects.toThrow();
    partitions[0]!.abort();
    await taken[3];
    expect(begun).toEqual([0, 1, 3]);
    partitions[1]!.abort();
    await taken[4];
    for (const partition of partitions) partition.abort();
    const next = [new AbortController(), new AbortController()];
    await Promise.all(next.map(({ signal }) => slots.take(signal)));
  });

  it('are free again when partitions end together, while one gets the slot of another', async () => {
    const slots = new ScrubSlots(1);
    const [first, second] = [new AbortController(), new AbortController()];
    await slots.take(first.signal);
    const waiting = slots.take(second.signal);
    first.abort();
    second.abort();
    await expect(waiting).rejects.toThrow();
    await slots.take(new AbortController().signal);
  });
});
