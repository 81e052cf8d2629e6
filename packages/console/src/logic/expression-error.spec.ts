import { expect, it } from 'vitest';
import { positionOf, splitAt } from './expression-error.js';

it('reads the position of an error from the detail of a problem', () => {
  expect(positionOf('Unexpected token (at character 3)')).toEqual({ at: 2, message: 'Unexpected token' });
  expect(positionOf('The stream is unknown.')).toBeUndefined();
});

it('splits a text at the error, also at its end', () => {
  expect(splitAt('a ? b', 2)).toEqual({ before: 'a ', wrong: '?', after: ' b' });
  expect(splitAt('a', 9)).toEqual({ before: 'a', wrong: ' ', after: '' });
});
