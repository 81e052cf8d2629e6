import { expect, it } from 'vitest';
import { pastedData } from './json-tree.js';

it.each([
  [' {"amount": 1.50} ', '{"amount": 1.50}'],
  ['{"event_type": "a", "data": {"amount": 1.50}, "version": 3}', '{"amount": 1.50}'],
  ['{"data": {"amount": 1}}', '{"data": {"amount": 1}}'],
  ['[1]', '[1]'],
])('the data in %s is %s', (text, data) => expect(pastedData(text)).toBe(data));

it('returns text that is not JSON, so that its error can be shown', () => {
  expect(pastedData('{"data')).toBe('{"data');
});
