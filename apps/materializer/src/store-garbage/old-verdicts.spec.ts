import { describe, expect, it } from 'vitest';
import { TopicAndGroupNames } from '#event';
import { rangeOffsets } from '#verdicts';
import { removeOldVerdicts, type OldVerdictRemovalOptions } from './old-verdicts.js';

const topics = new TopicAndGroupNames('spec.');
const orders = topics.ofStream('orders#1');

/**
 * Returns which verdicts and marks remain after old ones are removed: of offset ranges 0 and 1 of two partitions of
 * `orders`, and of a deleted stream.
 */
async function remaining(beginnings: readonly number[], topicExists = true): Promise<string[]> {
  const gone = { topic: topics.ofStream('gone#1'), partition: 0, range: 0 };
  const ranges = new Set([
    ...[0, 1].flatMap((partition) => [0, 1].map((range) => ({ topic: orders, partition, range }))),
    gone,
  ]);
  const marked = new Set([...ranges].filter(({ range }) => range === 0).map((range) => ({ ...range })));
  const options: OldVerdictRemovalOptions = {
    topics,
    admin: {
      partitions: async (topic) =>
        (topic === topics.verdicts ? topicExists : topic === orders) ? 2 : undefined,
      offsetsIn: async () =>
        new Map(
          beginnings.length === 0
            ? []
            : [[orders, beginnings.map((beginning, partition) => ({ partition, beginning, end: 1e9 }))]],
        ),
    },
    verdicts: {
      ready: async () => undefined,
      ranges: () => ranges.values() as never,
      marked: () => marked.values() as never,
    },
    publisher: {
      remove: async (old) => old.forEach((range) => ranges.delete(range)),
      removeMarks: async (old) => old.forEach((one) => marked.delete(one as never)),
    },
  };
  await removeOldVerdicts(options);
  return [
    ...[...ranges].map(({ topic, partition, range }) => `${topic} ${partition} ${range}`),
    ...[...marked].map(({ topic, partition }) => `${topic} ${partition} mark`),
  ];
}

describe('old verdicts', () => {
  it('are removed when the log has no record of their range any more', async () => {
    expect(await remaining([rangeOffsets, rangeOffsets - 1])).toEqual([
      `${orders} 0 1`,
      `${orders} 1 0`,
      `${orders} 1 1`,
      `${orders} 0 mark`,
      `${orders} 1 mark`,
    ]);
  });

  it('are kept for a topic that has no leader now', async () => {
    expect(await remaining([])).toHaveLength(6);
  });

  it('need no work in a system without conditional writes', async () => {
    expect(await remaining([1e9, 1e9], false)).toHaveLength(8);
  });
});
