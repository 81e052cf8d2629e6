import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { within } from './within.js';

const hanging = new Promise<string>(() => undefined);
const fail = (): never => {
  throw new Error('too late');
};

describe('within', () => {
  it('given a promise that resolves in time, resolves with its value', async () => {
    expect(await within(10_000, Promise.resolve('value'), fail)).toBe('value');
  });

  it('given a promise that rejects in time, rejects with its error', async () => {
    await expect(within(10_000, Promise.reject(new Error('broken')), fail)).rejects.toThrow('broken');
  });

  it('given a promise that hangs, resolves with what `late` returns', async () => {
    expect(await within(1, hanging, () => 'late')).toBe('late');
  });

  it('given a promise that hangs, rejects with what `late` throws', async () => {
    await expect(within(1, hanging, fail)).rejects.toThrow('too late');
  });

  it('given no time at all, still waits for the next turn of the event loop', async () => {
    expect(await within(-1, Promise.resolve('value'), fail)).toBe('value');
  });

  it('given a promise that rejects too late, ignores its rejection', async () => {
    const rejected = sleep(20).then(fail);
    expect(await within(1, rejected, () => 'late')).toBe('late');
    await sleep(40);
  });
});
