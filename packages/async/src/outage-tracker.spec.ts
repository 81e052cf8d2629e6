import { beforeEach, describe, expect, it } from 'vitest';
import { OutageTracker } from './outage-tracker.js';

describe('an outage', () => {
  let told: string[];
  let outage: OutageTracker<string>;

  beforeEach(() => {
    told = [];
    outage = new OutageTracker({
      began: (error) => told.push(`began: ${(error as Error).message}`),
      ended: () => told.push('ended'),
    });
  });

  it('is reported once at the first failure, and once when every failed party has succeeded', () => {
    for (const who of ['a', 'b', 'a']) outage.failed(who, new Error(`of ${who}`));
    outage.succeeded('a');
    outage.succeeded('c');
    expect([told, outage.isOn]).toEqual([['began: of a'], true]);
    outage.succeeded('b');
    outage.succeeded('b');
    expect([told, outage.isOn]).toEqual([['began: of a', 'ended'], false]);
    outage.failed('a', new Error('again'));
    expect(told).toEqual(['began: of a', 'ended', 'began: again']);
  });

  it('does not end when the failed parties give up, but at the next success of any party', () => {
    outage.failed('a', new Error('of a'));
    outage.gaveUp('a');
    outage.failed('b', new Error('of b'));
    outage.gaveUp('b');
    expect(told).toEqual(['began: of a']);
    outage.succeeded('c');
    expect(told).toEqual(['began: of a', 'ended']);
  });
});
