import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { AttemptHistory, readHistory } from './attempt-history.js';

const attempted = { event_id: 'a', stream: 's', entity_id: 'e', expected: 0, hash: 'h' };
const accepted = { outcome: 'accepted', version: 1, partition: 2, offset: 3 } as const;

describe('AttemptHistory', () => {
  it('writes an invocation to the disk before the request is sent, and the answer before the attempt counts', async () => {
    const history = await AttemptHistory.open(7);
    const returned = await history.invoke(attempted);
    const lines = () => readFileSync(history.path, 'utf8').trim().split('\n');
    expect(lines().map((line) => JSON.parse(line) as object)).toMatchObject([
      { seed: 7 },
      { invoke: 1, ...attempted },
    ]);
    expect(history.attempts).toEqual([]);
    const attempt = await returned(accepted);
    expect(lines()).toHaveLength(3);
    expect(history.attempts).toEqual([attempt]);
    expect(attempt.returned).toBeGreaterThan(attempt.invoked);
    await history.discard();
  });

  it('is read from its file again, with what was read back', async () => {
    const history = await AttemptHistory.open(7);
    const answers = [accepted, { outcome: 'refused', current: 4 } as const];
    for (const answer of answers) await (await history.invoke(attempted))(answer);
    const stored = { ...attempted, version: 1, partition: 2, offset: 3 };
    await history.keepStored([stored]);
    await history.close();
    const read = await readHistory(history.path);
    expect(read.attempts).toEqual(history.attempts);
    expect(read.stored).toEqual([stored]);
  });

  it('reads an invocation without an answer as unknown', async () => {
    const history = await AttemptHistory.open(7);
    await history.invoke(attempted);
    await history.close();
    const { attempts } = await readHistory(history.path);
    expect(attempts).toMatchObject([{ ...attempted, outcome: 'unknown', returned: Infinity }]);
  });
});
