import { describe, expect, it } from 'vitest';
import { readExpectedVersion } from './expected-version.js';

const of = (text: string) => readExpectedVersion(Buffer.from(text));

describe('the expected version of a record', () => {
  it('is undefined without the header', () => {
    expect(readExpectedVersion(undefined)).toBeUndefined();
  });

  it.each([
    ['0', 0],
    ['17', 17],
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ])('is the number of the header %j', (text, version) => {
    expect(of(text)).toBe(version);
  });

  it.each(['', ' 1', '-1', '01', '1.0', '1e3', 'x', '12345678901234567'])(
    'is NaN for the header %j, which equals no version',
    (text) => {
      expect(of(text)).toBeNaN();
    },
  );
});
