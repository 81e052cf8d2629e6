import { describe, expect, it } from 'vitest';
import { Shutdown } from './shutdown.js';

function given() {
  const failures: Error[] = [];
  return { failures, shutdown: new Shutdown((error) => failures.push(error)) };
}

const never = new Promise<never>(() => undefined);
/** Longer than any spec lasts. */
const longMs = 600_000;

describe('Shutdown', () => {
  it('stops everything at the first failure, and says it once', () => {
    const { failures, shutdown } = given();
    shutdown.fail('first');
    shutdown.fail(new Error('second'));
    expect(shutdown.signal.aborted).toBe(true);
    expect(failures.map(({ message }) => message)).toEqual(['first']);
  });

  it('lets what is under way go on until it is closed', async () => {
    const { failures, shutdown } = given();
    let whileClosing: boolean | undefined;
    await shutdown.within(longMs, async () => {
      whileClosing = shutdown.signal.aborted;
    });
    expect(whileClosing).toBe(false);
    expect(shutdown.signal.aborted).toBe(true);
    expect(failures).toEqual([]);
  });

  it('stops what is under way when the time is over', async () => {
    const { shutdown } = given();
    await shutdown.within(1, (givenUp) => Promise.race([never, givenUp]));
    expect(shutdown.signal.aborted).toBe(true);
  });

  it('waits no longer after a failure', async () => {
    const { shutdown } = given();
    const closing = shutdown.within(longMs, (givenUp) => Promise.race([never, givenUp]));
    shutdown.fail(new Error('lost'));
    await closing;
    expect(shutdown.signal.aborted).toBe(true);
  });

  it('says no failure that comes of stopping', async () => {
    const { failures, shutdown } = given();
    await shutdown.within(1, (givenUp) => givenUp);
    shutdown.fail(new Error('cut off'));
    expect(failures).toEqual([]);
  });
});
