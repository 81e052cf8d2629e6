import { describe, expect, test } from 'vitest';
import { pino } from 'pino';
import { SharedPoller } from './shared-poller.js';

const never = new AbortController().signal;

/** Rounds that poll with a list of outcomes, one after the other, and are followed until the list is empty. */
function given(outcomes: (boolean | Error)[]) {
  const lines: string[] = [];
  const logger = pino(
    { base: null },
    { write: (line: string) => void lines.push((JSON.parse(line) as { msg: string }).msg) },
  );
  const rounds = new SharedPoller({
    isFollowed: () => outcomes.length > 0,
    look: async () => {
      const outcome = outcomes.shift();
      if (outcome instanceof Error) throw outcome;
      return outcome ?? false;
    },
    ...{ logger, what: 'live streams', pollMs: 1, retryMs: 1 },
  });
  return { rounds, lines, outcomes };
}

describe('polling rounds', () => {
  test('poll repeatedly while somebody follows, and resume with the next start', async () => {
    const { rounds, outcomes } = given([false, true, false]);
    rounds.start();
    rounds.start();
    await expect.poll(() => outcomes.length).toBe(0);
    outcomes.push(false);
    await expect
      .poll(() => {
        rounds.start();
        return outcomes.length;
      })
      .toBe(0);
  });

  test('notify waiters after each poll, even after one that failed', async () => {
    const { rounds } = given([new Error('Kafka is away'), false]);
    const first = rounds.next(never);
    rounds.start();
    await first;
    expect(rounds.failure).toMatchObject({ message: 'Kafka is away' });
    await rounds.next(never);
    expect(rounds.failure).toBeUndefined();
  });

  test('log once that they wait, and once that they continue', async () => {
    const { rounds, lines, outcomes } = given([new Error('away'), new Error('away'), false, false]);
    rounds.start();
    await expect.poll(() => outcomes.length).toBe(0);
    expect(lines).toEqual(['live streams wait, because a poll failed', 'live streams continue']);
  });

  test('end a wait with the reason of the aborted signal', async () => {
    const { rounds } = given([false]);
    await expect(rounds.next(AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
  });
});
