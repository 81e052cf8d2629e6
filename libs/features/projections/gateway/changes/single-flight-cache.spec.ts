import { expect, it } from 'vitest';
import { SingleFlightCache } from './single-flight-cache.js';

/** Returns shared answers of this many bytes, and the questions that were computed. */
function given(most: { answers: number; bytes: number }, size = 10) {
  const answers = new SingleFlightCache<{ bytes: Buffer }>(most);
  const found: string[] = [];
  const ask = (question: string) =>
    answers.get(question, async () => {
      found.push(question);
      if (question === 'wrong') throw new Error('no answer');
      return { bytes: Buffer.alloc(size) };
    });
  return { ask, found };
}

it('computes an answer once for callers that ask at the same time or a little later', async () => {
  const { ask, found } = given({ answers: 2, bytes: 1000 });
  const [one, other] = await Promise.all([ask('a'), ask('a')]);
  expect(other).toBe(one);
  expect(await ask('a')).toBe(one);
  expect(found).toEqual(['a']);
});

it.each([
  ['many', { answers: 2, bytes: 1000 }],
  ['large', { answers: 10, bytes: 25 }],
])('removes the oldest answers when they are too %s', async (_, most) => {
  const { ask, found } = given(most);
  for (const question of ['a', 'b', 'c', 'b', 'c', 'a']) await ask(question);
  expect(found).toEqual(['a', 'b', 'c', 'a']);
});

it('does not keep a failure', async () => {
  const { ask, found } = given({ answers: 2, bytes: 1000 });
  await expect(ask('wrong')).rejects.toThrow('no answer');
  await expect(ask('wrong')).rejects.toThrow('no answer');
  expect(found).toEqual(['wrong', 'wrong']);
});
