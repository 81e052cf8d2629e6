import { describe, expect, it } from 'vitest';
import type { StreamRetention } from '#api';
import { removesEvents } from './shorter-retention.js';

describe('a change of retention', () => {
  it.each<[StreamRetention, StreamRetention, boolean]>([
    [{ time: '7d' }, 'unlimited', true],
    [{ bytes: 5 }, 'unlimited', true],
    [{ time: '6d' }, { time: '7d' }, true],
    [{ time: 'PT23H' }, { time: '1d' }, true],
    [{ time: '8d', bytes: 4 }, { time: '7d', bytes: 5 }, true],
    [{ time: '7d', bytes: 5 }, { time: '7d' }, true],
    ['unlimited', { time: '7d' }, false],
    ['unlimited', 'unlimited', false],
    [{ time: '7d' }, { time: 'P7D' }, false],
    [{ time: '8d' }, { time: '7d', bytes: 5 }, false],
  ])('to %j from %j removes events: %j', (wanted, current, expected) => {
    expect(removesEvents(wanted, current)).toBe(expected);
  });
});
