import { getEventListeners, getMaxListeners, setMaxListeners } from 'node:events';
import { setImmediate as soon } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withAnySignal } from './with-any-signal.js';

describe('withAnySignal', () => {
  it('aborts its signal as soon as one of the given signals is aborted, with the same reason', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    await withAnySignal([first.signal, second.signal], async (signal) => {
      expect(signal.aborted).toBe(false);
      second.abort('enough');
      first.abort('later');
      expect([signal.aborted, signal.reason]).toEqual([true, 'enough']);
    });
  });

  it('passes an aborted signal if one of the given signals is already aborted', async () => {
    const signals = [new AbortController().signal, AbortSignal.abort('before')];
    const reason = await withAnySignal(signals, async (signal) => signal.reason as unknown);
    expect(reason).toBe('before');
  });

  it('removes its listeners, whether the function succeeds or fails', async () => {
    const { signal } = new AbortController();
    const failing = async (): Promise<never> => Promise.reject(new Error('failed'));
    expect(await withAnySignal([signal], async () => getEventListeners(signal, 'abort').length)).toBe(1);
    await expect(withAnySignal([signal], failing)).rejects.toThrow('failed');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('causes no leak warning in many concurrent calls with one signal, and restores the limit of listeners', async () => {
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

  it.each([0, Infinity])('accepts a signal without a limit of listeners (%s)', async (most) => {
    const ended = new AbortController();
    setMaxListeners(most, ended.signal);
    await withAnySignal([ended.signal], async (signal) => {
      ended.abort('enough');
      expect(signal.reason).toBe('enough');
    });
  });
});
