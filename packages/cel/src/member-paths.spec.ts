import { describe, expect, it } from 'vitest';
import { memberPathsOf } from './member-paths.js';
import { parseExpression } from './parse.js';

const pathsOf = (text: string) => memberPathsOf(parseExpression(text), 'event').map((path) => path.join('/'));

describe('memberPathsOf', () => {
  it.each([
    ['event.data.amount > 5', ['data/amount']],
    [
      'event.data["unit price"] > 5 && event.metadata.source == "web"',
      ['data/unit price', 'metadata/source'],
    ],
    ['event.data.a + event.data.b * event.data.a > 1', ['data/a', 'data/b']],
    ['event.data.address.city.startsWith("B")', ['data/address/city']],
    ['event.data.items[0].sku == "x"', ['data/items']],
    ['event.data.items.exists(i, i.sku == event.data.sku)', ['data/items', 'data/sku']],
    ['event.data.kind in ["a", "b"] ? true : event.stream == "x"', ['data/kind', 'stream']],
    ['1 < 2', []],
  ])('%s reads %j', (text, paths) => {
    expect(pathsOf(text)).toEqual(paths);
  });

  it('leaves out a member that the expression tests with has', () => {
    expect(pathsOf('!has(event.data.note) && event.data.amount > 1')).toEqual(['data/amount']);
    expect(pathsOf('has(event.data.note) && event.data.note == "x"')).toEqual([]);
  });

  it('does not read the members of another variable', () => {
    expect(memberPathsOf(parseExpression('key.data.a == event.data.b'), 'event')).toEqual([['data', 'b']]);
  });
});
