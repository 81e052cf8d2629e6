import { describe, expect, it } from 'vitest';
import {
  assignPartitions,
  decodeAssignment,
  decodeSubscription,
  encodeSubscription,
  emptyClaim,
  subscribedTopics,
} from './assign-partitions.js';

const claim = { generation: 7, owned: new Map([['orders', [0, 3]]]) };
const memberOf = (memberId: string, topics: string[], own = emptyClaim) =>
  decodeSubscription({ memberId, memberMetadata: encodeSubscription(topics, own) });

describe('the subscription of a member', () => {
  it('contains its topics, its owned partitions, and the generation that assigned them', () => {
    const topics = ['audit', 'orders'];
    expect(memberOf('m', topics, claim)).toEqual({ id: 'm', topics, ...claim });
  });

  it('keeps the owned partitions of subscribed topics, in any order, and of topics that are no longer subscribed', () => {
    const owned = new Map([
      ['orders', [0, 3]],
      ['gone', [2]],
      ['audit', [1]],
      // A topic name may be a number, which must not be taken for an index.
      ['1', [7]],
    ]);
    const read = memberOf('m', ['orders', 'payments', 'audit'], { generation: 7, owned });
    expect(read.topics).toEqual(['audit', 'orders', 'payments']);
    expect(read.owned).toEqual(owned);
  });

  it('grows by few bytes for each topic of which the member owns a partition, however long the name is', () => {
    const topics = Array.from({ length: 1000 }, (_, i) => `tributary.events.${'n'.repeat(40)}.${i}`);
    const owned = new Map(topics.map((topic) => [topic, [3]]));
    const bytes = encodeSubscription(topics, { generation: 7, owned }).length;
    expect(bytes - encodeSubscription(topics, emptyClaim).length).toBeLessThan(1000 * 12);
  });

  it('claims nothing if the member owns no partition', () => {
    const topics = ['orders'];
    expect(memberOf('m', topics)).toEqual({ id: 'm', topics, ...emptyClaim });
  });
});

describe('the assignment of the leader', () => {
  it('contains the partitions of each member, in the form that the member decodes', () => {
    const members = [memberOf('a', ['orders'], claim), memberOf('b', ['orders'])];
    expect(subscribedTopics(members)).toEqual(['orders']);
    const assigned = assignPartitions(members, new Map([['orders', 4]]));
    const read = assigned.map(({ memberId, memberAssignment }) => {
      return [memberId, Object.fromEntries(decodeAssignment(memberAssignment))];
    });
    expect(read).toEqual([
      ['a', { orders: [0, 3] }],
      ['b', { orders: [1, 2] }],
    ]);
  });

  it('is decoded as no partitions if it is empty', () => {
    expect(decodeAssignment(Buffer.alloc(0))).toEqual(new Map());
  });
});
