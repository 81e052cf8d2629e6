import { describe, expect, it } from 'vitest';
import { NotYetMaterializedError, TimeoutError, type Problem, type Tributary } from '#client';
import { exitCodeOf } from '../errors/exit-code.js';
import { untilQueryable } from './until-queryable.js';

const problem = { status: 504, code: 'not_yet_materialized', detail: 'd' } as unknown as Problem;

/**
 * A server with fake time: a request waits for 20 s, and the positions of one partition can be queried after this
 * number of requests.
 */
function given({ partitions, requests }: { partitions: number; requests: number }) {
  let [now, asked, left] = [0, 0, requests];
  const first = async () => {
    asked++;
    now += 20_000;
    if (--left > 0) throw new NotYetMaterializedError(problem);
    left = requests;
  };
  const client = {
    afterWrites: () => Array.from({ length: partitions }, (_, i) => `s:${i}:1`),
    events: () => ({ first }),
  } as unknown as Tributary;
  const { signal } = new AbortController();
  return { waiting: untilQueryable(client, { signal, now: () => now }), asked: () => asked };
}

describe('the wait for queries', () => {
  it('continues while a partition makes progress', async () => {
    const { waiting, asked } = given({ partitions: 48, requests: 3 });
    await waiting;
    expect(asked()).toBe(9);
  });

  it('ends with an error after a minute without progress', async () => {
    const { waiting, asked } = given({ partitions: 1, requests: Infinity });
    const error: unknown = await waiting.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(String(error)).toContain('`tributary lag`');
    expect([exitCodeOf(error), asked()]).toEqual([4, 3]);
  });
});
