import { describe, expect, it } from 'vitest';
import { handlingOf } from './preference.js';

describe('a preference', () => {
  it.each<[string | undefined, string | undefined]>([
    [undefined, undefined],
    ['handling=lenient', 'lenient'],
    ['Handling = "Strict"', 'strict'],
    ['return=minimal, handling=lenient; foo="bar, handling=strict"', 'lenient'],
    ['respond-async, wait=10,handling=strict,handling=lenient', 'strict'],
    ['note="a, handling=lenient"', undefined],
    ['handling=whatever, handling=lenient', 'lenient'],
    ['handling', undefined],
    ['handling=', undefined],
    ['"', undefined],
    [',,,=;', undefined],
  ])('%j asks for the handling %j', (prefer, handling) => {
    expect(handlingOf({ headers: { prefer } })).toBe(handling);
  });

  it('takes no time for a header that is made to take it', () => {
    const began = performance.now();
    for (const prefer of ['"\\'.repeat(6000), ','.repeat(12000), 'handling='.repeat(1300), ' '.repeat(12000)])
      expect(handlingOf({ headers: { prefer } })).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(200);
  });
});
