import { describe, expect, it } from 'vitest';
import { assertPlainNames } from './plain-names.js';

const require =
  (text: string, params: Record<string, string> = {}) =>
  () =>
    assertPlainNames(text, new Map(Object.entries(params)));

describe('assertPlainNames', () => {
  it.each([
    'SELECT `a b`',
    'SELECT "a b"',
    "SELECT `it's \\`odd\\` \\\\`",
    "SELECT 'a\\nb' AS `c`",
    "SELECT '`\\n`'",
  ])('accepts the names in %j', (text) => {
    expect(require(text)).not.toThrow();
  });

  it.each([
    'SELECT `a\\nb`',
    'SELECT `a\nb`',
    'SELECT "a\\tb"',
    "SELECT 'x' AS `\\0`",
    'SELECT `a\u0085`',
    "SELECT '\\'' AS `\\n`",
  ])('rejects the names in %j', (text) => {
    expect(require(text)).toThrow('A name with a control character is not allowed');
  });

  it('accepts names from parameters unless they contain a control character', () => {
    expect(require('SELECT {a:String}', { a: 'x\\ny' })).not.toThrow();
    expect(require('SELECT * FROM {a:Identifier}', { a: 'events' })).not.toThrow();
    expect(require('SELECT * FROM {a:Identifier}', { a: 'x\\ny' })).toThrow('control character');
    expect(require('SELECT * FROM {a:Identifier}', { a: 'x\ny' })).toThrow('control character');
  });
});
