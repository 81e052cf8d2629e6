import { describe, expect, it } from 'vitest';
import type { Command } from '../commands/command.js';
import { findCommand, parse, withCommandFirst } from './parse.js';

const command: Command = {
  name: 'dead-letters list',
  summary: 'Lists.',
  positionals: [
    { name: 'KIND', oneOf: ['a', 'b'], about: 'kind' },
    { name: 'NAME', optional: true, many: true, about: 'names' },
  ],
  options: {
    limit: { value: 'N', least: 1, about: 'most' },
    order: { value: 'ORDER', oneOf: ['asc', 'desc'], about: 'order' },
    type: { value: 'TYPE', multiple: true, about: 'types' },
    all: { about: 'all' },
  },
  effect: 'destroys',
  run: () => Promise.resolve(),
};
const read = (...args: string[]) => parse(command, ['dead-letters', 'list', ...args]);

describe('the arguments of a command', () => {
  it('are positional arguments and options, in any order', () => {
    const input = read('--type', 'x', 'a', '--limit=5', 'one', 'two', '--all', '--type', 'y', '-o', 'json');
    expect(input.word('KIND')).toBe('a');
    expect(input.allWords('NAME')).toEqual(['one', 'two']);
    expect(input.texts('type')).toEqual(['x', 'y']);
    expect(input.whole('limit')).toBe(5);
    expect(input.flag('all')).toBe(true);
    expect(input.text('output')).toBe('json');
    expect(input.text('order')).toBeUndefined();
  });

  it.each([
    [['c'], 'KIND is "c", but must be one of: a, b.'],
    [[], 'KIND is missing.'],
    [['a', '--limit', '0'], '--limit is "0", but must be a whole number of at least 1.'],
    [['a', '--order', 'up'], '--order is "up", but must be one of: asc, desc.'],
    [['a', '--nothing'], "Unknown option '--nothing'."],
    [['a', '--limti', '5'], "Unknown option '--limti'. Did you mean --limit?"],
    [['a', '--limit'], "Option '--limit <value>' argument missing."],
  ])('%j are refused', (args, message) => {
    expect(() => read(...args)).toThrow(message);
  });

  it('are not validated with --help', () => {
    expect(read('--help').flag('help')).toBe(true);
  });
});

describe('the search for a command', () => {
  const table = [{ name: 'profile' }, { name: 'profile add' }, { name: 'get' }];

  it('returns the longest match', () => {
    expect(findCommand(table, ['profile', 'add', 'x'])?.name).toBe('profile add');
    expect(findCommand(table, ['profile', 'x'])?.name).toBe('profile');
    expect(findCommand(table, ['--profile'])).toBeUndefined();
  });

  it.each([
    [
      ['--url', 'u', 'get', 'x'],
      ['get', '--url', 'u', 'x'],
    ],
    [
      ['--url=u', '-ojson', '--trace', 'profile', 'add', 'x'],
      ['profile', 'add', '--url=u', '-ojson', '--trace', 'x'],
    ],
    [
      ['-o', 'json', 'get', '--', '-x'],
      ['get', '-o', 'json', '--', '-x'],
    ],
    [
      ['get', '--url', 'u'],
      ['get', '--url', 'u'],
    ],
    [
      ['--all', 'get'],
      ['--all', 'get'],
    ],
    [
      ['--url', 'u', 'gett'],
      ['gett', '--url', 'u'],
    ],
    [['--url'], ['--url']],
    [[], []],
  ])('of %j reads %j', (args, ordered) => {
    expect(withCommandFirst(table, args)).toEqual(ordered);
  });
});
