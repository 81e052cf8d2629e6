import { describe, expect, it } from 'vitest';
import { isMisspelling } from './misspelling.js';

describe('a misspelt name', () => {
  it.each([
    ['ordrs', 'orders'],
    ['orderss', 'orders'],
    ['order', 'orders'],
    ['orfers', 'orders'],
    ['odrers', 'orders'],
    ['rders', 'orders'],
    ['Orders', 'orders'],
    ['aaaa', 'aaa.a'],
  ])('is %s for %s', (given, name) => {
    expect([isMisspelling(given, name), isMisspelling(name, given)]).toEqual([true, true]);
  });

  it.each([
    ['ords', 'orders'],
    ['orders', 'orders'],
    ['orders1', 'orders2'],
    ['orders', 'orders2'],
    ['payments', 'orders'],
    ['abc', 'abcd'],
    ['abcd', 'badc'],
  ])('is not %s for %s', (given, name) => {
    expect([isMisspelling(given, name), isMisspelling(name, given)]).toEqual([false, false]);
  });
});
