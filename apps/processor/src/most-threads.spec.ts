import { expect, it } from 'vitest';
import { limitOf, mostThreads } from './most-threads.js';

const gib = 1024 ** 3;

it.each([
  [2, 24 * gib, 2],
  [1.5, 24 * gib, 2],
  [0.5, 24 * gib, 1],
  [64, 1.5 * gib, 2],
  [8, 0.25 * gib, 1],
])('%d processors and %d bytes of memory give %i threads', (processors, bytes, threads) => {
  expect(mostThreads(gib / 8, processors, bytes)).toBe(threads);
});

it('larger state caches leave memory for fewer threads', () => {
  expect(mostThreads(gib, 8, 4 * gib)).toBe(1);
});

it.each([
  ['150000 100000\n', 1.5],
  ['max 100000\n', Infinity],
  ['max', Infinity],
  ['', Infinity],
])('cpu.max %j allows %d processors', (text, processors) => {
  expect(limitOf(text)).toBe(processors);
});
