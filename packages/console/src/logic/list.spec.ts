import { describe, expect, it } from 'vitest';
import { folded, matching, nextSort, sorted, sortOrderOf, sortText, totalOf } from './list.js';

const same = (name: string) => name;

describe('the search of a list', () => {
  it('finds rows that contain all words, in any case', () => {
    const names = ['shop.Orders', 'shop.payments', 'audit'];
    expect(matching(names, same, 'ORD')).toEqual(['shop.Orders']);
    expect(matching(names, same, ' pay shop ')).toEqual(['shop.payments']);
    expect(matching(names, same, ' ')).toEqual(names);
    expect(matching(names, same, '.*')).toEqual([]);
  });
});

describe('the order of a list', () => {
  it('is read from its text in the URL and written to it', () => {
    expect(sortOrderOf('-Events')).toEqual({ name: 'Events', isDescending: true });
    for (const text of ['Events', '-Last event']) expect(sortText(sortOrderOf(text))).toBe(text);
    expect(sortText(sortOrderOf())).toBeUndefined();
    expect(sortText(sortOrderOf('-'))).toBeUndefined();
  });

  it('begins with the largest number or the first text, then is reversed, then removed', () => {
    const none = sortOrderOf();
    const clicks = (isNumber: boolean) => {
      const first = nextSort(none, 'a', isNumber);
      const second = nextSort(first, 'a', isNumber);
      return [first, second, nextSort(second, 'a', isNumber), nextSort(second, 'b', isNumber)].map(sortText);
    };
    expect(clicks(true)).toEqual(['-a', 'a', undefined, '-b']);
    expect(clicks(false)).toEqual(['a', '-a', undefined, 'b']);
  });

  it('compares numbers as numbers, also in names, and leaves rows without a value last', () => {
    const rows = [10, null, 9, 100];
    expect(sorted(rows, (n) => n, false)).toEqual([9, 10, 100, null]);
    expect(sorted(rows, (n) => n, true)).toEqual([100, 10, 9, null]);
    expect(sorted(['s-10', 's-9', 'S-1'], same, false)).toEqual(['S-1', 's-9', 's-10']);
  });

  it('keeps the order of rows with equal values', () => {
    const rows = [...'badc'];
    expect(sorted(rows, () => 1, true)).toEqual(rows);
  });
});

describe('the groups of a list', () => {
  const shop = Array.from({ length: 19 }, (_, i) => `shop.${i}`);
  const prefixes = (names: string[]) => folded(names, same).map(({ prefix, rows }) => prefix ?? rows[0]);

  it('are not formed of 20 rows', () => {
    expect(prefixes([...shop, 'audit'])).toEqual([...shop, 'audit']);
  });

  it('are the rows with a common prefix, at the position of the first', () => {
    const names = ['a', 'shop.first', 'users-new', ...shop, 'users-old', 'other-1'];
    expect(prefixes(names)).toEqual(['a', 'shop.', 'users-', 'other-1']);
    expect(folded(names, same)[1]!.rows).toEqual(['shop.first', ...shop]);
  });

  it('have the next prefix if all names share one', () => {
    const names = [...shop.map((name) => `eu.${name}`), 'eu.users.1', 'eu.users.2', 'eu.x'];
    expect(prefixes(names)).toEqual(['eu.shop.', 'eu.users.', 'eu.x']);
  });

  it('do not merge rows with one name', () => {
    const rows = Array.from({ length: 21 }, () => ({ name: 'same' }));
    expect(folded(rows, ({ name }) => name)).toHaveLength(21);
  });

  it('have the sum or the largest of the numbers that are known', () => {
    expect(totalOf([1, null, 3, 'x'], 'sum')).toBe(4);
    expect(totalOf([1, undefined, 3], 'largest')).toBe(3);
    expect(totalOf([null, undefined], 'sum')).toBeUndefined();
  });
});
