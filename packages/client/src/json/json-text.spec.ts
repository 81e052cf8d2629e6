import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementsOf, membersOf } from './json-text.js';

const spaced = (value: unknown) =>
  fc.constantFrom(JSON.stringify(value), JSON.stringify(value, null, 2), JSON.stringify(value, null, '\t\r'));

describe('the members of a JSON object', () => {
  it('are names with the texts of their values, for any value', () => {
    const cases = fc
      .dictionary(fc.string(), fc.jsonValue())
      .chain((value) => fc.tuple(fc.constant(value), spaced(value)));
    fc.assert(
      fc.property(cases, ([value, text]) => {
        const read = [...membersOf(text)].map(([name, part]) => [name, JSON.parse(part) as unknown]);
        expect(read).toEqual(
          Object.entries(value).map(([name, part]) => [name, JSON.parse(JSON.stringify(part)) as unknown]),
        );
      }),
    );
  });

  it('keep the digits of numbers', () => {
    const members = membersOf('{"a": 12345678901234567890.10, "b":1E2 , "c":[ -0.0 ]}');
    expect([...members.values()]).toEqual(['12345678901234567890.10', '1E2', '[ -0.0 ]']);
  });
});

describe('the elements of a JSON array', () => {
  it('are the texts of the values', () => {
    const cases = fc.array(fc.jsonValue()).chain((value) => fc.tuple(fc.constant(value), spaced(value)));
    fc.assert(
      fc.property(cases, ([value, text]) => {
        const read = elementsOf(text).map((part) => JSON.parse(part) as unknown);
        expect(read).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
