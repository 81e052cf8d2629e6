import { describe, expect, it } from 'vitest';
import {
  changesSession,
  formatClause,
  hasSeveralStatements,
  insertHead,
  parameterNames,
  quote,
  quoteName,
  statementKind,
} from './sql.js';

describe('the kind of a statement', () => {
  it.each([
    ['select 1', 'SELECT'],
    ['/* insert */ -- drop\n Select 1', 'SELECT'],
    ['(SELECT 1) UNION ALL SELECT 2', 'SELECT'],
    ['', ''],
    ["'select'", ''],
  ])('of %j is %j', (sql, kind) => expect(statementKind(sql)).toBe(kind));
});

describe('the parameters of a statement', () => {
  it.each([
    ['SELECT {a:String}, {b: Array(Nullable(UInt8))}, {a:String}', ['a', 'b']],
    ['SELECT \'{a:String}\', `{b:String}`, "{c:String}" /* {d:String} */ -- {e:String}', []],
    ["SELECT 'it''s', 'a\\'{x:String}', {b:String}", ['b']],
    ["SELECT {'a': 1}, map('a', 1)", []],
  ])('of %j are %j', (sql, names) => expect(parameterNames(sql)).toEqual(names));
});

describe('the format of an answer', () => {
  it.each([
    ['SELECT 1 FORMAT JSON', 'JSON'],
    ['SELECT 1 format CSV SETTINGS max_threads = 1;', 'CSV'],
    ["SELECT format('{}', 1)", undefined],
    ["SELECT 'FORMAT JSON'", undefined],
    ['SELECT (SELECT format FROM t)', undefined],
  ])('of %j is %j', (sql, format) => expect(formatClause(sql)).toBe(format));
});

describe('an INSERT with rows', () => {
  it.each([
    ['INSERT INTO t FORMAT JSONEachRow\n{"a":1}', 'INSERT INTO t', '', 'JSONEachRow', '{"a":1}'],
    [
      'INSERT INTO t (a, `format`) SETTINGS x = 1, y = 2 FORMAT CSV',
      'INSERT INTO t (a, `format`)',
      'SETTINGS x = 1, y = 2',
      'CSV',
      '',
    ],
    ["insert into db.t values (1, 'FORMAT')", 'insert into db.t', '', 'Values', " (1, 'FORMAT')"],
    ['INSERT INTO t FORMAT RowBinary \r\n\n\n', 'INSERT INTO t', '', 'RowBinary', '\n\n'],
  ])('%j is split into its parts', (...[sql, target, settings, format, data]) => {
    const head = insertHead(sql);
    expect(head).toMatchObject({ target, settings, format });
    expect(sql.slice(head?.dataStart)).toBe(data);
  });

  it.each([
    'INSERT INTO t SELECT 1',
    'INSERT INTO t (a) WITH 1 AS x SELECT x FORMAT CSV',
    'SELECT 1 FORMAT CSV',
  ])('%j is none', (sql) => expect(insertHead(sql)).toBeUndefined());
});

describe('a statement that changes the session', () => {
  it.each([
    ['SET max_threads = 1', true],
    ['/* x */ use db', true],
    ['CREATE /* x */ OR REPLACE temporary TABLE t (n UInt8)', true],
    ['CREATE TABLE temporary (n UInt8)', false],
    ['SELECT 1 SETTINGS max_threads = 1', false],
  ])('%j: %j', (sql, changes) => expect(changesSession(sql)).toBe(changes));
});

describe('several statements in one', () => {
  it.each([
    ['SELECT 1', false],
    ['SELECT 1;', false],
    ["SELECT ';' ; -- end", false],
    ['SELECT 1; SELECT 2', true],
  ])('%j: %j', (sql, several) => expect(hasSeveralStatements(sql)).toBe(several));
});

describe('quoting', () => {
  it('escapes every character that could end a literal or a name', () => {
    expect(quote("a'b\\'c")).toBe("'a\\'b\\\\\\'c'");
    expect(quoteName('a`b\\')).toBe('`a\\`b\\\\`');
  });
});
