import { expect, it } from 'vitest';
import { mostSimilar } from './similar.js';

it.each([
  ['qurey', 'query'],
  ['prodcue', 'produce'],
  ['quer', 'query'],
  ['query', 'query'],
  ['dead-letter list', 'dead-letters list'],
  ['x', undefined],
  ['subscribe', undefined],
])('the name most similar to %j is %j', (given, name) => {
  expect(mostSimilar(given, ['query', 'count', 'produce', 'dead-letters list'])).toBe(name);
});
