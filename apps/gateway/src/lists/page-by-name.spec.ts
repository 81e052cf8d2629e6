import { describe, expect, it } from 'vitest';
import { pageByName } from './page-by-name.js';

const names = ['d', 'a', 'c', 'b', 'e'];
const boundTo = ['letters'];
const page = (limit: number, cursor?: string) =>
  pageByName(names, (name) => name, { limit, cursor, boundTo });

describe('a page of a list in memory', () => {
  it('is sorted by name, and leads to the next until there is no more', () => {
    const first = page(2);
    const second = page(2, first.nextCursor);
    const third = page(2, second.nextCursor);
    expect([first.items, second.items, third.items]).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(third.nextCursor).toBeUndefined();
  });

  it('leads nowhere when it holds all', () => {
    expect(page(5)).toEqual({ items: ['a', 'b', 'c', 'd', 'e'] });
  });

  it('refuses the cursor of another list', () => {
    const { nextCursor = '' } = page(1);
    const other = { limit: 1, cursor: nextCursor, boundTo: ['others'] };
    expect(() => pageByName(names, (name) => name, other)).toThrow(
      expect.objectContaining({ code: 'invalid_cursor' }) as Error,
    );
  });
});
