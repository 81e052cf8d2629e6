import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { reconnectNotice } from './reconnect-notice.js';

describe('the notice that a live tail reconnects', () => {
  let view: AbortController;
  let shown: boolean[];
  let failed: (error: unknown, delayMs: number) => void;
  beforeEach(() => {
    vi.useFakeTimers();
    view = new AbortController();
    shown = [];
    failed = reconnectNotice(view.signal, (isReconnecting) => shown.push(isReconnecting));
  });
  afterEach(() => void vi.useRealTimers());

  it('stays until a connection has not failed for two seconds', () => {
    failed(new Error('lost'), 1_000);
    vi.advanceTimersByTime(2_500);
    failed(new Error('lost'), 1_000);
    vi.advanceTimersByTime(2_999);
    expect(shown).toEqual([true, true]);
    vi.advanceTimersByTime(1);
    expect(shown).toEqual([true, true, false]);
  });

  it('leaves no timer when the view closes, and shows nothing afterwards', () => {
    failed(new Error('lost'), 1_000);
    view.abort();
    expect(vi.getTimerCount()).toBe(0);
    failed(new Error('lost'), 1_000);
    expect(vi.getTimerCount()).toBe(0);
    expect(shown).toEqual([true]);
  });
});
