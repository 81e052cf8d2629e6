import { describe, expect, it } from 'vitest';
import { handlingOf, returnOf } from './preference.js';

describe('the Prefer header', () => {
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
  ])('%j has the handling %j', (prefer, handling) => {
    expect(handlingOf({ headers: { prefer } })).toBe(handling);
  });

  it.each(['"\\'.repeat(6000), ','.repeat(12000), 'handling='.repeat(1300), ' '.repeat(12000)])(
    'is ignored if it is long and has no known preference',
    (prefer) => expect(handlingOf({ headers: { prefer } })).toBeUndefined(),
  );

  it('may have a preference for the body of the answer, too', () => {
    const headers = { prefer: 'handling=lenient, return=Representation, return=minimal' };
    expect([handlingOf({ headers }), returnOf({ headers })]).toEqual(['lenient', 'representation']);
  });
});
