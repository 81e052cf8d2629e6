import { describe, expect, it } from 'vitest';
import { CommitBatcher } from './commit-batcher.js';
import type { CommittedOffset, GroupGeneration } from './group-generation.js';

const generation = (id: number) => ({ id }) as GroupGeneration;
const first = generation(1);
const offsetOf = (partition: number, offset = 1): CommittedOffset => ({
  ...{ topic: 't', partition, offset },
  leaderEpoch: 0,
});

/**
 * Returns a `CommitBatcher` whose requests end at the next call of `letGo`; `requests` has the partitions of each
 * request.
 */
function given(refuses: (offsets: readonly CommittedOffset[]) => Error | undefined = () => undefined) {
  const requests: string[] = [];
  const ends: (() => void)[] = [];
  const commits = new CommitBatcher(async ({ id }, offsets) => {
    requests.push(`${id}: ${offsets.map(({ partition }) => partition).join()}`);
    await new Promise<void>((resolve) => ends.push(resolve));
    const error = refuses(offsets);
    if (error) throw error;
  });
  const letGo = async () => {
    await expect.poll(() => ends.length).toBeGreaterThan(0);
    for (const end of ends.splice(0)) end();
  };
  return { commits, requests, letGo };
}

describe('commits of one member', () => {
  it('share one request if they arrive in one event-loop turn, or during another request', async () => {
    const { commits, requests, letGo } = given();
    const early = [commits.commit(first, offsetOf(0)), commits.commit(first, offsetOf(1))];
    await expect.poll(() => requests).toEqual(['1: 0,1']);
    const late = [commits.commit(first, offsetOf(2)), commits.commit(first, offsetOf(3))];
    await letGo();
    await Promise.all(early);
    await letGo();
    await Promise.all(late);
    expect(requests).toEqual(['1: 0,1', '1: 2,3']);
  });

  it('are sent separately for each generation', async () => {
    const { commits, requests, letGo } = given();
    const both = [commits.commit(first, offsetOf(0)), commits.commit(generation(2), offsetOf(1))];
    await letGo();
    await letGo();
    await Promise.all(both);
    expect(requests).toEqual(['1: 0', '2: 1']);
  });

  it('fail individually: each commit of a failed request is sent again by itself', async () => {
    const gone = new Error('This server does not host this topic-partition');
    const { commits, requests, letGo } = given((offsets) =>
      offsets.some(({ partition }) => partition === 1) ? gone : undefined,
    );
    const results = Promise.allSettled(
      [0, 1, 2].map((partition) => commits.commit(first, offsetOf(partition))),
    );
    await letGo();
    await expect.poll(() => requests.length).toBe(4);
    await letGo();
    expect((await results).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(requests).toEqual(['1: 0,1,2', '1: 0', '1: 1', '1: 2']);
  });
});
