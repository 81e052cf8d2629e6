import { getEventListeners, getMaxListeners, setMaxListeners } from 'node:events';
import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withAnySignal } from './with-any-signal.js';

describe('a signal made of several', () => {
  it('is aborted as soon as one of them is, with the same reason', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    await withAnySignal([first.signal, second.signal], async (signal) => {
      expect(signal.aborted).toBe(false);
      second.abort('enough');
      first.abort('later');
      expect([signal.aborted, signal.reason]).toEqual([true, 'enough']);
    });
  });

  it('is aborted from the start where one of them is', async () => {
    const signals = [new AbortController().signal, AbortSignal.abort('before')];
    const reason = await withAnySignal(signals, async (signal) => signal.reason as unknown);
    expect(reason).toBe('before');
  });

  it('leaves nothing behind on them, whether what ran with it succeeded or failed', async () => {
    const { signal } = new AbortController();
    const failing = async (): Promise<never> => Promise.reject(new Error('failed'));
    expect(await withAnySignal([signal], async () => getEventListeners(signal, 'abort').length)).toBe(1);
    await expect(withAnySignal([signal], failing)).rejects.toThrow('failed');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('warns of no leak while many run at once with the same signal, and still does of listeners that stay', async () => {
    const { signal } = new AbortController();
    const most = getMaxListeners(signal);
    const warnings: Error[] = [];
    const warned = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', warned);
    try {
      await Promise.all(Array.from({ length: 50 }, () => withAnySignal([signal], () => soon())));
      await soon();
    } finally {
      process.off('warning', warned);
    }
    expect(warnings).toEqual([]);
    expect(getMaxListeners(signal)).toBe(most);
  });

  it.each([0, Infinity])('is made of one that any number may listen to, too (%s)', async (most) => {
    const ended = new AbortController();
    setMaxListeners(most, ended.signal);
    await withAnySignal([ended.signal], async (signal) => {
      ended.abort('enough');
      expect(signal.reason).toBe('enough');
    });
  });
});
