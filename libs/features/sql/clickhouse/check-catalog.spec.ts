import { describe, expect, it } from 'vitest';
import { checkCatalog } from './check-catalog.js';
import { syntaxNodes } from './syntax-tree.js';

/** Returns a function that checks `SELECT <list> FROM <table> <rest>`, each part as ClickHouse explains it. */
const check = (parts: { table: string; list?: string[]; rest?: string[] }) => () => {
  const list = parts.list ?? ['Identifier name'];
  const lines = [
    'SelectWithUnionQuery',
    ' ExpressionList',
    '  SelectQuery',
    '   ExpressionList',
    ...list.map((line) => `    ${line}`),
    '   TablesInSelectQuery',
    `    TableIdentifier ${parts.table}`,
    ...(parts.rest ?? []).map((line) => `   ${line}`),
  ];
  checkCatalog(syntaxNodes(withCounts(lines).join('\n')));
};

/** Returns the lines of a syntax tree with the number of children that each of them has. */
function withCounts(lines: readonly string[]): string[] {
  const depths = lines.map((line) => line.search(/\S/));
  return lines.map((line, index) => {
    const rest = depths.slice(index + 1);
    const end = rest.findIndex((depth) => depth <= depths[index]!);
    const below = end < 0 ? rest : rest.slice(0, end);
    const count = below.filter((depth) => depth === depths[index]! + 1).length;
    return count > 0 ? `${line} (children ${count})` : line;
  });
}

/** Returns the lines of a call of a function with these arguments. */
const call = (name: string, ...args: string[]) => [
  `Function ${name}`,
  ` ExpressionList`,
  ...args.map((line) => `  ${line}`),
];

describe('a SELECT from a table of tables', () => {
  it.each(['system.tables', 'system.databases (alias d)'])(
    'may not read folders of the server from %s',
    (table) => {
      for (const column of [
        'Identifier data_path',
        'Identifier d.data_paths',
        'Asterisk',
        'ColumnsRegexpMatcher',
      ])
        expect(check({ table, list: [column] })).toThrow('these name folders of the server');
      expect(check({ table, rest: ['OrderByElement', ' Identifier metadata_path'] })).toThrow('folders');
      expect(check({ table, list: call('count', 'Asterisk') })).not.toThrow();
      expect(check({ table, list: ['Identifier engine', 'Identifier name'] })).not.toThrow();
    },
  );

  it('may read all columns of the others', () => {
    expect(check({ table: 'system.columns', list: ['Asterisk'] })).not.toThrow();
  });

  it.each([
    'system.tables',
    'system.columns (alias c)',
    'information_schema.tables',
    'INFORMATION_SCHEMA.TABLES',
  ])('given %s, may not call a function that fails for some names in a condition', (table) => {
    const rest = call('equals', ...call('toInt64', 'Identifier name'), 'Literal UInt64_1');
    expect(check({ table, rest })).toThrow('the function toInt64 is not allowed');
  });

  it('may compare columns, and compute constants', () => {
    const table = 'system.tables';
    expect(check({ table, rest: call('like', 'Identifier name', "Literal 'o%'") })).not.toThrow();
    expect(check({ table, rest: call('equals', 'Identifier name', "Literal 'o'") })).not.toThrow();
    expect(check({ table, rest: call('toInt64', "Literal '7'") })).not.toThrow();
  });

  it('may not use a column as a pattern', () => {
    const rest = call('like', "Literal 'x'", 'Identifier name');
    expect(check({ table: 'system.tables', rest })).toThrow('the function like is not allowed');
  });

  const list = ['Function toInt64 (alias n)', ' ExpressionList', '  Identifier name'];

  it('may call any function in its list, as JDBC does', () => {
    const rest = call('equals', 'Identifier database', "Literal 'd'");
    expect(check({ table: 'system.columns', list, rest })).not.toThrow();
    const sorted = ['ExpressionList', ' OrderByElement', '  Identifier n'];
    expect(check({ table: 'system.columns', list, rest: [...rest, ...sorted] })).not.toThrow();
  });

  it.each(['Identifier n', 'Identifier n.a', 'Identifier c.n', 'ColumnsRegexpMatcher'])(
    'may not use the result of such a function in a condition, as %s',
    (column) => {
      const rest = call('equals', column, 'Literal UInt64_1');
      expect(check({ table: 'system.columns', list, rest })).toThrow('the function toInt64 is not allowed');
    },
  );

  it.each(['Subquery', 'WithElement', 'SelectQuery', 'SelectIntersectExceptQuery'])(
    'may not call such a function anywhere if it contains a %s',
    (kind) => {
      expect(check({ table: 'system.tables', list, rest: [kind] })).toThrow('the function toInt64');
    },
  );
});

describe('a SELECT from a view', () => {
  it('may call any function', () => {
    const rest = call('toInt64', 'Identifier data');
    expect(check({ table: 'events', rest })).not.toThrow();
    expect(check({ table: 'system.functions', rest })).not.toThrow();
  });
});
