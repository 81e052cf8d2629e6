import { describe, expect, it } from 'vitest';
import { checkSyntax } from './check-syntax.js';
import { syntaxNodes } from './syntax-tree.js';

const published = { database: 'views', views: ['events'] };

const select = (from: string) => `SelectWithUnionQuery (children 1)
 ExpressionList (children 1)
  SelectQuery (children 2)
   ExpressionList (children 1)
    Asterisk
   TablesInSelectQuery (children 1)
    TablesInSelectQueryElement (children 1)
     TableExpression (children 1)
      ${from}`;

const check =
  (explained: string, text = 'SELECT') =>
  () =>
    checkSyntax(syntaxNodes(explained), text, published);

describe('checkSyntax', () => {
  it.each(['events', 'events (alias e)', 'views.events', 'a_cte', 'system.columns'])(
    'accepts a SELECT from %s',
    (name) => {
      expect(check(select(`TableIdentifier ${name}`))).not.toThrow();
    },
  );

  it.each([
    ['orders__others', 'There is no table orders__others to read'],
    ['projection_others', 'There is no table projection_others to read'],
    ['views.others', 'There is no table views.others to read'],
    ['tables.events', 'There is no table tables.events to read'],
    ['a.views.events', 'There is no table a.views.events to read'],
    ['system.users (alias events)', 'There is no table system.users to read'],
  ])('rejects a SELECT from %s', (name, message) => {
    expect(check(select(`TableIdentifier ${name}`))).toThrow(message);
  });

  it.each(["SHOW TABLES FROM `a b` LIKE 'x%'", 'SHOW DATABASES', "SHOW TABLES NOT ILIKE 'it\\'s'"])(
    'accepts %s',
    (text) => {
      expect(check('ShowTables', text)).not.toThrow();
    },
  );

  it.each([
    'SHOW TABLES WHERE 1',
    'SHOW TABLES LIMIT 1',
    "SHOW TABLES LIKE 'a' WHERE 1",
    'SHOW TABLES FROM a.b',
  ])('rejects %s, because the syntax tree does not show its conditions', (text) => {
    expect(check('ShowTables', text)).toThrow('SHOW takes FROM and LIKE');
  });

  it('answers EXISTS only for views that the key may read', () => {
    const asked = (text: string, ...names: string[]) =>
      check(
        `ExistsTableQuery  ${names.join(' ')} (children ${names.length})\n${names.map((one) => ` Identifier ${one}\n`).join('')}`,
        text,
      );
    expect(asked('EXISTS TABLE events', 'events')).not.toThrow();
    expect(asked('EXISTS TABLE views.events', 'views', 'events')).not.toThrow();
    expect(asked('EXISTS VIEW `events`', 'events')).not.toThrow();
    expect(asked('EXISTS TABLE others', 'others')).toThrow('There is no table others to read');
    expect(asked('EXISTS TABLE tables.events', 'tables', 'events')).toThrow(
      'There is no table tables.events',
    );
    expect(asked('EXISTS TABLE unknown', 'unknown')).toThrow('There is no table unknown to read');
  });

  it.each(['EXISTS TEMPORARY TABLE events', 'EXISTS TABLE events SETTINGS max_threads = 1'])(
    'rejects %s, because the syntax tree does not show all of it',
    (text) => {
      expect(check('ExistsTableQuery  events (children 1)\n Identifier events', text)).toThrow(
        'EXISTS takes TABLE or VIEW and a name',
      );
    },
  );

  it('rejects EXISTS for databases and dictionaries', () => {
    expect(check('ExistsDatabaseQuery x (children 1)\n Identifier x', 'EXISTS DATABASE x')).toThrow(
      'Only SELECT',
    );
  });

  it('accepts DESCRIBE only for views that the key may read', () => {
    const described = (name: string) =>
      check(`DescribeQuery (children 1)\n TableExpression (children 1)\n  TableIdentifier ${name}`);
    expect(described('events')).not.toThrow();
    expect(described('unknown')).toThrow('There is no table unknown to read');
  });

  it.each([
    ['an extra node', `${select('TableIdentifier events')}\n      Literal x`],
    ['a missing node', 'SelectWithUnionQuery (children 1)'],
    ['a node at a wrong depth', 'SelectWithUnionQuery (children 1)\n   ExpressionList'],
    ['a second tree', 'SelectWithUnionQuery\nSelectWithUnionQuery'],
  ])('rejects a tree with %s', (_, explained) => {
    expect(check(explained)).toThrow('ambiguous syntax tree');
  });

  it('rejects a tree with a node of an unknown kind', () => {
    expect(check(select('NodeOfALaterVersion x'))).toThrow('NodeOfALaterVersion is not allowed');
  });

  it('rejects other statements, and an empty tree', () => {
    for (const explained of ['DropQuery  events', '{', 'Explain EXPLAIN'])
      expect(check(explained)).toThrow('Only SELECT');
    expect(check('')).toThrow('ambiguous syntax tree');
  });

  it('accepts SHOW TABLES, but rejects other statements with the same kind of node', () => {
    expect(check('ShowTables', 'SHOW FULL TABLES')).not.toThrow();
    expect(check('ShowTables', 'SHOW CLUSTERS')).toThrow('SHOW takes FROM and LIKE');
    expect(check('ShowColumns', 'SHOW INDEXES FROM x')).toThrow('SHOW takes FROM and LIKE');
  });
});
