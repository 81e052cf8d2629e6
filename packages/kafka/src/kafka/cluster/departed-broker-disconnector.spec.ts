import { describe, expect, it } from 'vitest';
import { DepartedBrokerDisconnector } from './departed-broker-disconnector.js';

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Returns a `DepartedBrokerDisconnector` with one connected client, and records its queries to the cluster and the closed
 * connections.
 */
function watching(cluster: () => Promise<string[]>, everyMs = 0) {
  const questions: (readonly string[])[] = [];
  const cut: string[] = [];
  const silent = new DepartedBrokerDisconnector({
    ask: (brokers) => {
      questions.push(brokers);
      return cluster();
    },
    everyMs,
    departedMs: 60_000,
  });
  silent.add({ cut: (broker) => void cut.push(broker) });
  return { silent, questions, cut };
}

describe('brokers that respond slowly', () => {
  it('are disconnected when the cluster no longer reports them', async () => {
    const { silent, cut } = watching(async () => ['a:1', 'c:3']);
    silent.seen(['a:1', 'b:2', 'c:3']);
    silent.suspect();
    await soon();
    expect(cut).toEqual(['b:2']);
  });

  it('are not connected to again, until the cluster reports them', async () => {
    const { silent } = watching(async () => ['a:1', 'c:3']);
    silent.seen(['a:1', 'b:2', 'c:3']);
    expect(silent.hasDeparted('b:2')).toBe(false);
    silent.suspect();
    await soon();
    expect(['a:1', 'b:2', 'c:3', 'bootstrap:9'].filter((one) => silent.hasDeparted(one))).toEqual(['b:2']);
    silent.seen(['b:2']);
    expect(silent.hasDeparted('b:2')).toBe(false);
  });

  it('remain connected if they are reported while the query runs, whose answer may be older', async () => {
    let answer: (brokers: string[]) => void = () => undefined;
    const { silent, cut } = watching(() => new Promise((resolve) => (answer = resolve)));
    silent.seen(['a:1', 'b:2']);
    silent.suspect();
    silent.seen(['b:2']);
    answer(['a:1']);
    await soon();
    expect([cut, silent.hasDeparted('b:2')]).toEqual([[], false]);
  });

  it('remain connected while the cluster reports them, and if no broker responds', async () => {
    for (const answer of [async () => ['a:1', 'b:2'], () => Promise.reject(new Error('none'))]) {
      const { silent, cut } = watching(answer);
      silent.seen(['a:1', 'b:2']);
      silent.suspect();
      await soon();
      expect(cut).toEqual([]);
    }
  });

  it('are disconnected at each slow response, because a client may have reconnected', async () => {
    const { silent, cut } = watching(async () => ['a:1', 'c:3']);
    silent.seen(['a:1', 'b:2', 'c:3']);
    for (let i = 0; i < 2; i++) {
      silent.suspect();
      await soon();
    }
    expect(cut).toEqual(['b:2', 'b:2']);
  });

  it('cause one query at a time, and no other one within the minimum interval', async () => {
    let answer: (brokers: string[]) => void = () => undefined;
    const slow = watching(() => new Promise((resolve) => (answer = resolve)), 3_600_000);
    slow.silent.seen(['a:1', 'b:2']);
    for (let i = 0; i < 5; i++) slow.silent.suspect();
    answer(['a:1', 'b:2']);
    await soon();
    slow.silent.suspect();
    expect(slow.questions).toHaveLength(1);
  });

  it('cause no query if no other broker is known, and a query to three of many', async () => {
    const { silent, questions } = watching(async () => []);
    silent.seen(['a:1']);
    silent.suspect();
    expect(questions).toEqual([]);
    silent.seen(Array.from({ length: 50 }, (_, i) => `b:${i}`));
    silent.suspect();
    expect(questions.map((brokers) => brokers.length)).toEqual([3]);
  });

  it('do not affect a client that has been removed', async () => {
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
