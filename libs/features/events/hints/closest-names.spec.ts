import { describe, expect, it } from 'vitest';
import { closestFirst, isLikelyMeant } from './closest-names.js';

describe('closestFirst', () => {
  it('begins with the name that needs the fewest corrections', () => {
    expect(closestFirst('amont', ['currency', 'count', 'amount'])[0]).toBe('amount');
    expect(closestFirst('curency', ['amount', 'currency'])).toEqual(['currency', 'amount']);
  });

  it('sorts equally similar names', () => {
    expect(closestFirst('zzzz', ['d', 'b', 'c'])).toEqual(['b', 'c', 'd']);
  });

  it('leaves out names of more than 100 characters', () => {
    expect(closestFirst('a', ['x'.repeat(101), 'x'.repeat(100)])).toEqual(['x'.repeat(100)]);
  });
});

describe('isLikelyMeant', () => {
  it.each([
    ['amont', 'amount'],
    ['amuont', 'amount'],
    ['Amount', 'amount'],
    ['ID', 'id'],
    ['customer_id', 'customerId'],
  ])('takes %s for %s', (given, name) => {
    expect(isLikelyMeant(given, name)).toBe(true);
  });

  it.each([
    ['total', 'amount'],
    ['id', 'to'],
    ['a', 'of'],
    ['m', 'n'],
    ['sum', 'sub'],
  ])('does not take %s for %s', (given, name) => {
    expect(isLikelyMeant(given, name)).toBe(false);
  });
});
