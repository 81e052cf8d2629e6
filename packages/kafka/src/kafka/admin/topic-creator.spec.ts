import { describe, expect, it } from 'vitest';
import type { ClusterClient } from '../cluster/cluster-client.js';
import { compatibleGroups, TopicCreator } from './topic-creator.js';

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

describe('a CreateTopics request', () => {
  const failed = (topic: string, type: string) => Object.assign(new Error(type), { topic, type });
  /** A broker that answers these errors, and whose leaders answer at the second look-up. */
  function given(errors: Error[]) {
    const lookUps: string[][] = [];
    const createTopics = () =>
      errors.length > 0 ? Promise.reject(Object.assign(new Error('some'), { errors })) : Promise.resolve();
    const client = { controller: () => Promise.resolve({ createTopics }) } as unknown as ClusterClient;
    const creator = new TopicCreator(client, 1, (topics) => {
      lookUps.push([...topics]);
      return Promise.resolve(topics.map(() => lookUps.length > 1));
    });
    return { lookUps, create: (topic: string) => creator.create({ topic, partitions: 1 }) };
  }

  it('ends when the leaders of its topics answer, whether they are new or not', async () => {
    const { create, lookUps } = given([failed('old', 'TOPIC_ALREADY_EXISTS')]);
    const outcomes = await Promise.all([create('new'), create('old')]);
    expect(outcomes).toEqual([
      { created: true, isLed: true },
      { created: false, isLed: true },
    ]);
    expect(lookUps).toEqual([
      ['new', 'old'],
      ['new', 'old'],
    ]);
  });

  it('does not wait for a topic that was not created', async () => {
    const { create, lookUps } = given([failed('bad', 'INVALID_REPLICATION_FACTOR')]);
    const [good, bad] = await Promise.allSettled([create('good'), create('bad')]);
    expect(good).toMatchObject({ value: { created: true, isLed: true } });
    expect(bad).toMatchObject({ status: 'rejected' });
    expect(lookUps).toEqual([['good'], ['good']]);
  });

  it('looks up nothing if no topic was created', async () => {
    const { create, lookUps } = given([failed('bad', 'INVALID_REPLICATION_FACTOR')]);
    await expect(create('bad')).rejects.toThrow();
    expect(lookUps).toEqual([]);
  });
});
