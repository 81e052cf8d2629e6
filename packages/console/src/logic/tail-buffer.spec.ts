import { expect, it, describe } from 'vitest';
import { TailBuffer } from './tail-buffer.js';

describe('the buffer of a live tail', () => {
  it('paints the newest first, and keeps as many as the table holds', () => {
    const buffer = new TailBuffer<number>(3);
    [1, 2].forEach((n) => buffer.add(n));
    expect(buffer.paint()).toEqual([2, 1]);
    [3, 4].forEach((n) => buffer.add(n));
    expect(buffer.paint()).toEqual([4, 3, 2]);
    expect(buffer.skipped).toBe(0);
  });

  it('counts what no paint showed', () => {
    const buffer = new TailBuffer<number>(2);
    [1, 2, 3, 4, 5].forEach((n) => buffer.add(n));
    expect(buffer.pending).toBe(2);
    expect(buffer.paint()).toEqual([5, 4]);
    expect([buffer.received, buffer.skipped]).toEqual([5, 3]);
  });
});
