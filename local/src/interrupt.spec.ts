import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { root } from './kafka/jars.js';

interface InterruptModule {
  oncePerInterrupt: (interrupted: () => void, options: { now: () => number }) => () => void;
}

const { oncePerInterrupt } = (await import(
  pathToFileURL(join(root, 'local', 'interrupt.mjs')).href
)) as InterruptModule;

/** Returns how many interrupts these signals are, each sent at this time in milliseconds. */
function interruptsOf(...times: number[]): number {
  let now = 0;
  let count = 0;
  const signal = oncePerInterrupt(() => count++, { now: () => now });
  for (const time of times) {
    now = time;
    signal();
  }
  return count;
}

describe('signals of Ctrl-C', () => {
  it.each([
    ['one signal', [0], 1],
    ['the same signal, forwarded by npm some milliseconds later', [5_000, 5_012], 1],
    ['a second Ctrl-C after a second', [5_000, 5_012, 6_000], 2],
    ['a second Ctrl-C that npm forwards too', [5_000, 5_012, 7_000, 7_012], 2],
    ['signals of a key that is held down', [0, 400, 800, 1_200], 2],
  ])('%s', (_name, times, interrupts) => {
    expect(interruptsOf(...times)).toBe(interrupts);
  });
});
