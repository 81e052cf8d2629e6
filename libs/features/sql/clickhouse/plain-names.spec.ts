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

  it.each([
    'SELECT arrayMap(file AS `a (children 0`, [1])',
    'SELECT 1 AS `q (alias r)`',
    'SELECT 1 AS "(alias r"',
    "SELECT '(alias ' AS `(children 1)`",
  ])('rejects names like the end of a node in %j', (text) => {
    expect(require(text)).toThrow('is not allowed');
    expect(require('SELECT {a:Identifier}', { a: 'x (alias y)' })).toThrow('is not allowed');
  });

  it("accepts texts like the end of a node, which ClickHouse's syntax tree quotes", () => {
    expect(require("SELECT 'a (alias b)', {a:String}", { a: '(children 1)' })).not.toThrow();
  });

  it('accepts names from parameters unless they contain a control character', () => {
    expect(require('SELECT {a:String}', { a: 'x\\ny' })).not.toThrow();
    expect(require('SELECT * FROM {a:Identifier}', { a: 'events' })).not.toThrow();
    expect(require('SELECT * FROM {a:Identifier}', { a: 'x\\ny' })).toThrow('control character');
    expect(require('SELECT * FROM {a:Identifier}', { a: 'x\ny' })).toThrow('control character');
  });
});
