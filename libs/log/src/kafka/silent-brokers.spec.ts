import { describe, expect, it } from 'vitest';
import { SilentBrokers } from './silent-brokers.js';

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Someone connected, and a cluster that names these brokers when it is asked. */
function watching(cluster: () => Promise<string[]>, everyMs = 0) {
  const questions: (readonly string[])[] = [];
  const cut: string[] = [];
  const silent = new SilentBrokers({
    ask: (brokers) => {
      questions.push(brokers);
      return cluster();
    },
    everyMs,
  });
  silent.add({ cut: (broker) => void cut.push(broker) });
  return { silent, questions, cut };
}

describe('brokers that are slow to answer', () => {
  it('are left when the others no longer count them in', async () => {
    const { silent, cut } = watching(async () => ['a:1', 'c:3']);
    silent.seen(['a:1', 'b:2', 'c:3']);
    silent.suspect();
    await soon();
    expect(cut).toEqual(['b:2']);
  });

  it('are waited for while the cluster counts them in, or nobody answers', async () => {
    for (const answer of [async () => ['a:1', 'b:2'], () => Promise.reject(new Error('none'))]) {
      const { silent, cut } = watching(answer);
      silent.seen(['a:1', 'b:2']);
      silent.suspect();
      await soon();
      expect(cut).toEqual([]);
    }
  });

  it('are left each time that somebody comes back to them', async () => {
    const { silent, cut } = watching(async () => ['a:1', 'c:3']);
    silent.seen(['a:1', 'b:2', 'c:3']);
    for (let i = 0; i < 2; i++) {
      silent.suspect();
      await soon();
    }
    expect(cut).toEqual(['b:2', 'b:2']);
  });

  it('cause one question at a time, and no other soon after', async () => {
    let answer: (brokers: string[]) => void = () => undefined;
    const slow = watching(() => new Promise((resolve) => (answer = resolve)), 3_600_000);
    slow.silent.seen(['a:1', 'b:2']);
    for (let i = 0; i < 5; i++) slow.silent.suspect();
    answer(['a:1', 'b:2']);
    await soon();
    slow.silent.suspect();
    expect(slow.questions).toHaveLength(1);
  });

  it('cause no question where there is no other to ask, and few where there are many', async () => {
    const { silent, questions } = watching(async () => []);
    silent.seen(['a:1']);
    silent.suspect();
    expect(questions).toEqual([]);
    silent.seen(Array.from({ length: 50 }, (_, i) => `b:${i}`));
    silent.suspect();
    expect(questions.map((brokers) => brokers.length)).toEqual([3]);
  });

  it('are no concern of who has closed', async () => {
    const { silent } = watching(async () => ['a:1']);
    const cut: string[] = [];
    const closed = { cut: (broker: string) => void cut.push(broker) };
    silent.add(closed);
    silent.remove(closed);
    silent.seen(['a:1', 'b:2']);
    silent.suspect();
    await soon();
    expect(cut).toEqual([]);
  });
});
