import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UnknownTopicError } from '#kafka';
import { GroupLagReader } from './group-lag-reader.js';

/** End and committed offset of each partition, by topic. */
type Offsets = Record<string, [end: number, committed: number][]>;

let now: number;
let offsets: Offsets;
let reader: GroupLagReader;
beforeEach(() => {
  now = 1_000_000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const admin = {
    offsets: async (topic: string) => {
      const partitions = offsets[topic];
      if (!partitions) throw new UnknownTopicError(topic);
      return partitions.map(([end], partition) => ({ partition, beginning: 0, end }));
    },
    committedIn: async (_group: string, topics: ReadonlyMap<string, number>) =>
      new Map(
        [...topics.keys()].map((topic) => [
          topic,
          new Map(offsets[topic]!.map(([, committed], partition) => [partition, committed])),
        ]),
      ),
  };
  reader = new GroupLagReader({ admin });
});
afterEach(() => vi.restoreAllMocks());

/** Asks after so many seconds. */
async function lagAfter(seconds: number, id = 'g', topics = Object.keys(offsets)) {
  now += seconds * 1000;
  const lags = await reader.of([{ id, group: id, topics: topics.map((topic) => ({ topic })) }]);
  const { lag, seconds: lagSeconds } = lags.get(id)!;
  return { lag, seconds: lagSeconds };
}

describe('the lag of a group in seconds', () => {
  it('is that of the partition whose records wait longest, also while another partition is read', async () => {
    offsets = {
      orders: [
        [10, 0],
        [1000, 1000],
      ],
    };
    expect(await lagAfter(0)).toEqual({ lag: 10, seconds: 0 });
    for (let round = 1; round <= 10; round++) {
      offsets = {
        orders: [
          [10, 0],
          [1000 + round * 1000, 1000 + round * 1000],
        ],
      };
      expect(await lagAfter(15)).toEqual({ lag: 10, seconds: round * 15 });
    }
    offsets = {
      orders: [
        [10, 10],
        [20_000, 20_000],
      ],
    };
    expect(await lagAfter(15)).toEqual({ lag: 0, seconds: 0 });
  });

  it('does not start again when another topic of the group is deleted, or a new one is read', async () => {
    offsets = { orders: [[10, 0]], payments: [[5000, 5000]] };
    await lagAfter(0);
    offsets = { orders: [[10, 0]] };
    expect(await lagAfter(60, 'g', ['orders', 'payments'])).toEqual({ lag: 10, seconds: 60 });
    offsets = { orders: [[10, 0]], refunds: [[7, 7]] };
    expect(await lagAfter(60)).toEqual({ lag: 10, seconds: 120 });
  });

  it('is 0 in the first measurement, and after nobody has asked for ten minutes', async () => {
    offsets = { orders: [[10, 0]] };
    expect((await lagAfter(0)).seconds).toBe(0);
    expect((await lagAfter(599)).seconds).toBe(599);
    expect((await lagAfter(601)).seconds).toBe(0);
  });
});
