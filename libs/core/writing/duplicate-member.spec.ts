import { expect, it } from 'vitest';
import { duplicateMember } from './duplicate-member.js';

it.each([
  ['{"a":1,"a":2}', '/a'],
  ['{"a":1,"\\u0061":2}', '/a'],
  ['{"x":[0,{"y/":1,"z":{},"y/":[]}]}', '/x/1/y~1'],
  ['[[],{"a":{"b":[1,2],"c":"b","b":null}}]', '/1/a/b'],
  ['{"__proto__":1,"__proto__":2}', '/__proto__'],
  ['{"a":"a","b":["a","a"],"c":{"a":1}}', undefined],
  ['{"a":"\\",\\"a\\":","b":1}', undefined],
  ['"a"', undefined],
])('the first repeated member of %s is %s', (text, pointer) => {
  expect(duplicateMember(text)).toBe(pointer);
});

it('a pointer through long names is cut', () => {
  const long = 'n'.repeat(100_000);
  const text = `{"${long}":{"${long}":{"${long}":{"${long}":{"a":1,"a":2}}}}}`;
  expect(duplicateMember(text)!.length).toBeLessThan(600);
});
