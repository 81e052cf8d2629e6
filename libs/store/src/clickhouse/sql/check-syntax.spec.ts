import { describe, expect, it } from 'vitest';
import { checkSyntax } from './check-syntax.js';

const published = { database: 'views', views: ['events'], allViews: ['events', 'others'] };

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
    checkSyntax(explained, text, published);

describe('the syntax tree of a statement', () => {
  it.each(['events', 'events (alias e)', 'views.events', 'a_cte', 'system.tables'])('may read %s', (name) => {
    expect(check(select(`TableIdentifier ${name}`))).not.toThrow();
  });

  it.each([
    ['others', 'There is no table others to read'],
    ['views.others', 'There is no table views.others to read'],
    ['tables.events', 'There is no table tables.events to read'],
    ['a.views.events', 'There is no table a.views.events to read'],
    ['system.users (alias events)', 'There is no table system.users to read'],
  ])('may not read %s', (name, message) => {
    expect(check(select(`TableIdentifier ${name}`))).toThrow(message);
  });

  it('may have no node that is not known', () => {
    expect(check(select('NodeOfALaterVersion x'))).toThrow('NodeOfALaterVersion is not allowed');
  });

  it('may not be something else, or nothing', () => {
    for (const explained of ['', 'DropQuery  events', '{', 'Explain EXPLAIN'])
      expect(check(explained)).toThrow('Only SELECT');
  });

  it('may list tables, but not all that ClickHouse lists by the same node', () => {
    expect(check('ShowTables', 'SHOW FULL TABLES')).not.toThrow();
    expect(check('ShowTables', 'SHOW CLUSTERS')).toThrow('Only SELECT');
    expect(check('ShowColumns', 'SHOW INDEXES FROM x')).toThrow('Only SELECT');
  });
});
