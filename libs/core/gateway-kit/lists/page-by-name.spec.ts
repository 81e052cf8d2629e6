import { describe, expect, it } from 'vitest';
import { pageByName } from './page-by-name.js';

const names = ['d', 'a', 'c', 'b', 'e'];
const boundTo = ['letters'];
const cursorOf = ({ end }: { end: { next_cursor: string | null } }) => end.next_cursor ?? undefined;
const page = (limit: number, cursor?: string) =>
  pageByName(names, (name) => name, { limit, cursor, boundTo });

describe('a page of long items', () => {
  it('ends at the limit of characters, and the next page continues after it', () => {
    const all = Array.from({ length: 10 }, (_, i) => ({ name: `n${i}`, length: 1024 * 1024 }));
    const page = (cursor?: string) =>
      pageByName(all, ({ name }) => name, {
        ...{ limit: 100, cursor, boundTo: 'x' },
        lengthOf: ({ length }) => length,
      });
    const first = page();
    expect(first.items.map(({ name }) => name)).toEqual(['n0', 'n1', 'n2', 'n3', 'n4']);
    const second = page(cursorOf(first));
    expect([second.items.length, second.end.next_cursor]).toEqual([5, null]);
  });
});

describe('a page of an in-memory list', () => {
  it('is sorted by name, and has a cursor until the last page', () => {
    const first = page(2);
    const second = page(2, cursorOf(first));
    const third = page(2, cursorOf(second));
    expect([first.items, second.items, third.items]).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(third.end).toEqual({ total: 5, has_more: false, next_cursor: null });
  });

  it('has no cursor when it contains all items', () => {
    expect(page(5)).toEqual({
      items: ['a', 'b', 'c', 'd', 'e'],
      end: { total: 5, has_more: false, next_cursor: null },
    });
  });

  it('refuses the cursor of another list', () => {
    const nextCursor = cursorOf(page(1));
    const other = { limit: 1, cursor: nextCursor, boundTo: ['others'] };
    expect(() => pageByName(names, (name) => name, other)).toThrow(
      expect.objectContaining({ code: 'invalid_cursor' }) as Error,
    );
  });
});
