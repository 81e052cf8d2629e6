import { expect, it } from 'vitest';
import { indexOfKey } from './chart-keys.js';

it.each([
  ['ArrowLeft', undefined, 4],
  ['ArrowLeft', 2, 1],
  ['ArrowLeft', 0, 0],
  ['ArrowRight', undefined, 4],
  ['ArrowRight', 3, 4],
  ['ArrowRight', 4, 4],
  ['Home', 3, 0],
  ['End', 3, 4],
  ['Tab', 3, undefined],
])('%s at %s of five points leads to %s', (key, index, next) => expect(indexOfKey(key, index, 5)).toBe(next));
