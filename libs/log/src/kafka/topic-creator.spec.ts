import { describe, expect, it } from 'vitest';
import { compatibleGroups } from './topic-creator.js';

const groupsOf = (...topics: [name: string, partitions: number][]): string[][] =>
  compatibleGroups(topics.map(([topic, partitions]) => ({ topic, partitions }))).map((group) =>
    group.map(({ topic }) => topic),
  );

describe('the topics of one CreateTopics request', () => {
  it('are all that are requested at about the same time', () => {
    expect(groupsOf(['a', 8], ['b', 8], ['c', 1])).toEqual([['a', 'b', 'c']]);
  });

  it('have names that Kafka can distinguish', () => {
    expect(groupsOf(['a', 1], ['a', 2], ['x.y', 1], ['x_y', 1], ['b', 1])).toEqual([
      ['a', 'x.y', 'b'],
      ['a', 'x_y'],
    ]);
  });

  it('have at most 2,000 partitions, unless a single topic has more', () => {
    expect(groupsOf(['a', 1_500], ['b', 600], ['c', 500], ['d', 3_000])).toEqual([['a', 'c'], ['b'], ['d']]);
  });
});
