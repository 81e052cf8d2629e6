import { describe, expect, it } from 'vitest';
import { retryOnTakenPort } from './free-port.js';

const taken = new Error('Kafka ended before it was ready. Its last lines:\n  Address already in use.');

describe('a start on ports that it chooses itself', () => {
  const startThat = (...errors: Error[]): { start: () => Promise<number>; calls: () => number } => {
    let calls = 0;
    const start = async (): Promise<number> => {
      const error = errors[calls++];
      if (error) throw error;
      return calls;
    };
    return { start, calls: () => calls };
  };

  it('is repeated when a port was taken meanwhile', async () => {
    expect(await retryOnTakenPort(startThat(taken, taken).start)).toBe(3);
  });

  it('fails after the third attempt', async () => {
    const { start, calls } = startThat(taken, taken, taken, taken);
    await expect(retryOnTakenPort(start)).rejects.toThrow('Address already in use');
    expect(calls()).toBe(3);
  });

  it('is not repeated when it fails for another reason', async () => {
    const { start, calls } = startThat(new Error('no memory'));
    await expect(retryOnTakenPort(start)).rejects.toThrow('no memory');
    expect(calls()).toBe(1);
  });
});
