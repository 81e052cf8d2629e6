import { describe, expect, it } from 'vitest';
import { Pages, readPage } from './pages.js';

const texts = [
  '{"things":[1,2],"count":2,"total":3,"has_more":true,"next_cursor":"c"}',
  '{"things":[3],"count":1,"total":3,"has_more":false,"next_cursor":null}',
];

function given(asked: (string | undefined)[], from?: string): Pages<number> {
  const read = async (cursor: string | undefined) => {
    asked.push(cursor);
    return readPage(texts[cursor === 'c' ? 1 : 0]!, 'things', Number);
  };
  return new Pages(read, from);
}

describe('a list of two pages', () => {
  it('is iterated item by item', async () => {
    const asked: (string | undefined)[] = [];
    const items: number[] = [];
    for await (const item of given(asked)) items.push(item);
    expect(items).toEqual([1, 2, 3]);
    expect(asked).toEqual([undefined, 'c']);
  });

  it('reads only the needed pages', async () => {
    const asked: (string | undefined)[] = [];
    for await (const item of given(asked)) if (item === 2) break;
    expect(asked).toHaveLength(1);
  });

  it('is iterated page by page, starting at a cursor', async () => {
    const pages = [];
    for await (const page of given([], 'c').pages()) pages.push(page);
    expect(pages).toEqual([{ items: [3], total: 3, has_more: false, next_cursor: null }]);
  });

  it('returns only its first page', async () => {
    expect(await given([]).first()).toMatchObject({ items: [1, 2], next_cursor: 'c' });
  });
});

it('an answer without the list is an error', () => {
  expect(() => readPage('{"others":[]}', 'things', Number)).toThrow('The answer has no "things"');
});
