import { describe, expect, it } from 'vitest';
import { WorkShutdown } from './shutdown.js';

function given() {
  const failures: Error[] = [];
  return { failures, shutdown: new WorkShutdown((error) => failures.push(error)) };
}

const never = new Promise<never>(() => undefined);
/** Longer than any spec runs. */
const longMs = 600_000;

describe('Shutdown', () => {
  it('stops everything at the first failure, and reports only this one', () => {
    const { failures, shutdown } = given();
    shutdown.fail('first');
    shutdown.fail(new Error('second'));
    expect(shutdown.signal.aborted).toBe(true);
    expect(failures.map(({ message }) => message)).toEqual(['first']);
  });

  it('lets work continue until close has finished', async () => {
    const { failures, shutdown } = given();
    let whileClosing: boolean | undefined;
    await shutdown.within(longMs, async () => {
      whileClosing = shutdown.signal.aborted;
    });
    expect(whileClosing).toBe(false);
    expect(shutdown.signal.aborted).toBe(true);
    expect(failures).toEqual([]);
  });

  it('stops work when the time is over', async () => {
    const { shutdown } = given();
    await shutdown.within(1, (givenUp) => Promise.race([never, givenUp]));
    expect(shutdown.signal.aborted).toBe(true);
  });

  it('stops waiting after a failure', async () => {
    const { shutdown } = given();
    const closing = shutdown.within(longMs, (givenUp) => Promise.race([never, givenUp]));
    shutdown.fail(new Error('lost'));
    await closing;
    expect(shutdown.signal.aborted).toBe(true);
  });

  it('does not report failures that the shutdown causes', async () => {
    const { failures, shutdown } = given();
    await shutdown.within(1, (givenUp) => givenUp);
    shutdown.fail(new Error('cut off'));
    expect(failures).toEqual([]);
  });
});
