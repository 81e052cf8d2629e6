import { describe, expect, it } from 'vitest';
import { abortable } from './bulkhead.js';

const never = new AbortController().signal;

describe('abortable', () => {
  it('settles like its promise', async () => {
    expect(await abortable(Promise.resolve(5), never)).toBe(5);
    await expect(abortable(Promise.reject(new Error('failed')), never)).rejects.toThrow('failed');
  });

  it('rejects once the signal is aborted, and handles the promise that fails later', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    const failures: (() => void)[] = [];
    const failing = () => new Promise<void>((_, reject) => failures.push(() => reject(new Error('late'))));
    const gone = new AbortController();
    const waiting = abortable(failing(), gone.signal);
    gone.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(abortable(failing(), gone.signal)).rejects.toThrow('gone');
    for (const fail of failures) fail();
    await new Promise((resolve) => setTimeout(resolve, 10));
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });
});
