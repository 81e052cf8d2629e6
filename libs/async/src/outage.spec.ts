import { beforeEach, describe, expect, it } from 'vitest';
import { Outage } from './outage.js';

describe('an outage', () => {
  let told: string[];
  let outage: Outage<string>;

  beforeEach(() => {
    told = [];
    outage = new Outage({
      began: (error) => told.push(`began: ${(error as Error).message}`),
      ended: () => told.push('ended'),
    });
  });

  it('is told of once when it begins, however many fail however often, and once when all of them succeed', () => {
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

  it('is not over because those who failed gave up, but when anyone succeeds', () => {
    outage.failed('a', new Error('of a'));
    outage.gaveUp('a');
    outage.failed('b', new Error('of b'));
    outage.gaveUp('b');
    expect(told).toEqual(['began: of a']);
    outage.succeeded('c');
    expect(told).toEqual(['began: of a', 'ended']);
  });
});
