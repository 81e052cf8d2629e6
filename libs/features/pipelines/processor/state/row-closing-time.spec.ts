import { expect, it } from 'vitest';
import { compareDue } from './row-closing-time.js';

it('orders keys bytewise, as the store does', () => {
  const keys = ['🎉', 'b', '\uffee', 'é', 'a'].map((key) => ({ closesAt: 1, key }));
  expect(keys.sort(compareDue).map(({ key }) => key)).toEqual(['a', 'b', 'é', '\uffee', '🎉']);
});
